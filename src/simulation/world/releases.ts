// The releases of an operator that a run has one after the other. Each brings its CRDs, its role and the configurations of its webhooks,
// which are installed before its processes start, as the manifests of a deployment are.

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { OperatorRelease, ReleaseFault, Scenario, SimulatedOperator } from "../contract/index.ts";
import type { ReleaseName } from "../contract/run.ts";
import type { WrittenObject } from "../contract/scenario.ts";
import type { CRD } from "../operations/draw-object.ts";
import { refTextOf } from "../contract/state.ts";
import { isWebhookConfiguration, pathOf, permissionsOf } from "./base.ts";
import type { World } from "./world.ts";

/** Returns what a run of a scenario begins with: the former releases of the operators that are upgraded later. */
export function atStart(scenario: Scenario): Scenario {
  const { operators, faults = [] } = scenario;
  return operators
    .filter(({ name }) => faults.some((fault) => fault.fault === "upgrade" && fault.operator === name))
    .reduce((before, { name, former }) => (former ? withRelease(before, name, former) : before), scenario);
}

/** Returns a scenario in which an operator is another release from the beginning to the end. */
export function withRelease(scenario: Scenario, name: string, release: OperatorRelease): Scenario {
  const { crds, webhooks, ...parts } = release;
  const others = (scenario.objects ?? []).filter((object) => !isWebhookConfiguration(object));
  return {
    ...scenario,
    ...(crds && { crds }),
    ...(webhooks && { objects: [...others, ...webhooks] }),
    operators: scenario.operators.map(({ former, next, ...operator }) => {
      if (operator.name === name) return { ...operator, ...parts };
      return { ...operator, ...(former && { former }), ...(next && { next }) };
    }),
  };
}

/** Milliseconds from the end of the processes of one release to the start of those of another. */
const changeover = 500;

/** Upgrades an operator, and rolls it back later if the fault says so. Returns false if it has no other release. */
export async function changeRelease(world: World, fault: ReleaseFault): Promise<boolean> {
  const operator = world.scenario.operators.find(({ name }) => name === fault.operator);
  if (fault.fault === "upgrade") {
    if (!operator?.former) return false;
    await install(world, operator, "present", operator.former);
    return true;
  }
  if (!operator?.next) return false;
  const { next } = operator;
  await install(world, operator, "next");
  world.loop.after(fault.for, () => void install(world, operator, "present", next));
  return true;
}

/** Installs a release and starts its processes. What the API server refuses of it stays as it was in the release before. */
async function install(
  world: World,
  operator: SimulatedOperator,
  name: ReleaseName,
  before?: OperatorRelease,
): Promise<void> {
  const { scenario } = world;
  const release = name === "present" ? undefined : operator[name];
  const configurations = release ? release.webhooks : webhooksOf(scenario);
  const crds = release ? release.crds : scenario.crds;
  const rules = release?.rules ?? operator.rules;
  const role = permissionsOf({ name: operator.name, ...(rules && { rules }) });
  for (const object of [...(crds ?? []), ...role, ...(configurations ?? [])]) {
    const refusal = await apply(world, object);
    if (refusal === undefined) continue;
    const refused = { type: "refused-install", operator: operator.name, release: name } as const;
    world.recorder.add({ ...refused, object: refTextOf(object), message: refusal });
  }
  const kept = new Set(configurations?.map(refTextOf));
  const earlier = before ? before.webhooks : webhooksOf(scenario);
  for (const object of configurations ? (earlier ?? []) : [])
    if (!kept.has(refTextOf(object))) await world.ask("installer", "DELETE", pathOf(world.cluster, object));
  for (const replica of world.replicas) if (replica.operator === operator) replica.die({ down: changeover });
  await migrate(world, crds ?? []);
}

/** Writes the objects again that are stored in an older version, as a storage migration does: outcomes are compared in one version. */
async function migrate(world: World, crds: readonly WrittenObject[]): Promise<void> {
  world.migrations++;
  for (const { apiVersion, kind, metadata } of world.objects()) {
    const stored = storedVersion(crds, apiVersion, kind);
    if (stored !== undefined && stored !== apiVersion)
      await rewrite(world, pathOf(world.cluster, { apiVersion: stored, kind, metadata }));
  }
  world.migrations--;
}

/** Returns the apiVersion in which a CRD stores the objects of a kind. */
function storedVersion(crds: readonly WrittenObject[], apiVersion: string, kind: string): string | undefined {
  for (const { spec } of crds as readonly Partial<CRD>[]) {
    if (spec?.names.kind !== kind || !apiVersion.startsWith(`${spec.group}/`)) continue;
    return `${spec.group}/${spec.versions.find(({ storage }) => storage)!.name}`;
  }
  return undefined;
}

/** The number of times that an object is written again before it is given up. */
const mostTries = 60;

/** Writes an object as it is. A conversion may fail until the new processes have started. */
async function rewrite(world: World, path: string): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await world.ask("installer", "GET", path);
    if (found.status === 404) return;
    const body = JSON.parse(found.body.toString()) as object;
    const { status } = found.status < 300 ? await world.ask("installer", "PUT", path, body) : found;
    if (status < 300) return;
    await world.loop.wait(1000);
  }
}

function webhooksOf({ objects = [] }: Scenario): readonly WrittenObject[] {
  return objects.filter(isWebhookConfiguration);
}

/** Creates an object, or replaces it. Returns the server's message if it refuses that. */
async function apply(world: World, object: KubernetesObject): Promise<string | undefined> {
  const path = pathOf(world.cluster, object);
  const found = await world.ask("installer", "GET", path);
  const { metadata } = JSON.parse(found.body.toString()) as KubernetesObject;
  const written =
    found.status === 404
      ? await world.ask("installer", "POST", path.slice(0, path.lastIndexOf("/")), object)
      : await world.ask("installer", "PUT", path, {
          ...object,
          metadata: { ...metadata, ...object.metadata },
        });
  if (written.status < 300) return undefined;
  const { message = `status ${written.status}` } = JSON.parse(written.body.toString()) as {
    readonly message?: string;
  };
  return message;
}
