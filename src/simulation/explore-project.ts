import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { loadObjects } from "@tsbuilder/cluster/testing";
import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import type { Scenario, SimulatedOperator } from "./contract/index.ts";
import type { Exploration, ExploreOptions, Failure, ScenarioMaker } from "./explore/explore.ts";
import { examineScenario, exploreShare, seedsPerPlan } from "./explore/explore.ts";
import { testOf } from "./explore/replay-test.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { loadKnownTypesCheck } from "./operations/kubernetes-types.ts";
import { longerNamespace, usualNamespaces } from "./operations/names.ts";
import { type OperationsOptions, plansFor } from "./operations/operations-for.ts";
import { otherObjectsOf } from "./operations/other-objects.ts";
import type { CRD } from "./operations/draw-object.ts";
import { type Report, shareIn } from "./share.ts";

/**
 * A controller of a project, to be explored. Everything that a scenario may have besides, such as other objects,
 * controllers of the cluster and promises, can be added.
 */
export interface ProjectExploration extends Omit<Scenario, "operators" | "crds" | "steps" | "seed"> {
  /** The kind that users change. Its CRD, and those that it needs, are read from `config/crd/bases`. */
  readonly kind: Kind;
  /** The controller's `setup` function. Its permissions are read from `config/rbac/role.yaml`. */
  readonly setup: SimulatedOperator["setup"];
  /** Adds the webhooks of the kind. The rules for calling them are read from `config/webhook/manifests.yaml`. */
  readonly webhooks?: SimulatedOperator["setup"];
  readonly operations?: OperationsOptions;
  /** The project's folder. Default: the current one. */
  readonly folder?: string;
}

/**
 * Explores a controller of the project in the current folder, prints how far it came, and throws the story of the first
 * failure. It takes a moment, or as long as `tsbuilder test --explore --time 10m` says.
 */
export async function exploreProject(project: ProjectExploration): Promise<Exploration> {
  const { kind } = project;
  const budget = budgetOf(process.env);
  const share = shareIn(process.env, nameOf(project));
  const { failure, ...reached } = await exploreShare(await projectScenario(project), budget, share);
  const own = { ...reached, failure: failure && { seed: failure.seed, text: textOf(project, failure) } };
  const report = (await share?.join(own)) ?? own;
  // oxlint-disable-next-line eslint/no-console -- the test runner shows it beside the test
  console.log(`${kind.kind}: ${summaryOf(report, budget)}`);
  if (report.failure) throw new Error(report.failure.text);
  return { ...report, failure: undefined };
}

/** Names an exploration: alike in all processes, unlike another one of the same kind. Objects may have contents that are random. */
function nameOf({ objects: _objects, ...project }: ProjectExploration): string {
  const { plural, group } = project.kind;
  const text = JSON.stringify(project, (_, value: unknown) =>
    typeof value === "function" ? `${value.name} ${value.toString()}` : value,
  );
  return `${plural}.${group} ${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

/** Tells a failure, and how to see it again. */
function textOf(project: ProjectExploration, failure: Failure): string {
  const trace = writeTrace(project, failure);
  return `${failure.story}\n\nThe whole trace: ${trace}\n${howToReplay(project, failure)}`;
}

/** Writes the trace of a failure among the project's temporary files, which git ignores. Returns its path in the project. */
function writeTrace({ kind, folder = "." }: ProjectExploration, { seed, trace }: Failure): string {
  const path = `.tsbuilder/explore/${kind.kind.toLowerCase()}-${seed}.txt`;
  mkdirSync(join(folder, ".tsbuilder/explore"), { recursive: true });
  writeFileSync(join(folder, path), trace);
  return path;
}

/** Returns how far to explore: for a moment in `npm test`, and as long as `tsbuilder test --explore` says. */
export function budgetOf(env: Readonly<Record<string, string | undefined>>): ExploreOptions {
  const { TSBUILDER_EXPLORE_TIME: time, TSBUILDER_EXPLORE_SEED: from = "1" } = env;
  return time === undefined
    ? { seeds: 50, processorTime: 5000 }
    : { seeds: Infinity, time: parseDuration(time), from: Number(from) };
}

/** Describes an exploration in one line. */
export function summaryOf(
  { runs, failure, crashPoints, calls, unchanged }: Report,
  { from = 1, seeds = Infinity, processorTime = 0 }: ExploreOptions,
): string {
  const { all, missed } = crashPoints;
  const died = `processes died at ${all.length - missed.length} of ${all.length} kinds of writes`;
  const rest = missed.length > 0 ? `, but not at ${missed.join(", ")}` : "";
  const isCut = !failure && runs < seeds && processorTime > 0;
  const what = isCut ? `${runs} of ${seeds} disturbed runs` : `${runs} disturbed runs`;
  const cut = isCut ? `, as many as ${processorTime / 1000} s of processor time allow` : "";
  const missing = [
    ["; calls that never failed: ", calls.missed],
    ["; users never changed ", unchanged],
  ] as const;
  return `explored ${what} from seed ${from}${cut}; ${died}${rest}${missing.map(namedText).join("")}`;
}

/** The number of fields, or of calls, that a summary names. */
const mostNamed = 5;

function namedText([what, names]: readonly [string, readonly string[]]): string {
  if (names.length === 0) return "";
  const more = names.length - mostNamed;
  return `${what}${names.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A finding of `exploreProject()`, as the test that it prints passes it on. */
export interface ProjectFinding extends Pick<Scenario, "objects" | "steps" | "faults"> {
  /** The seed of the exploration that found it. */
  readonly seed: number;
}

/** Replays a finding of `exploreProject()`, which prints a test that calls this. Returns the failure, if there still is one. */
export async function examineProject(
  project: ProjectExploration,
  { seed, ...finding }: ProjectFinding,
): Promise<Failure | undefined> {
  const plan = Math.floor(seed / seedsPerPlan);
  const make = await projectScenario(project);
  return examineScenario({ ...make(new Random(plan).fork("scenario"), plan), ...finding, seed: plan });
}

function howToReplay({ kind, setup }: ProjectExploration, { scenario, verdict, seed }: Failure): string {
  // It may have been shown without faults by the chance of another plan.
  const { seed: plan = 0 } = scenario;
  const replayed = Math.floor(seed / seedsPerPlan) === plan ? seed : plan * seedsPerPlan;
  const replay = {
    head: `// Beside the exploring test, with its imports and the other options of its exploreProject().
import { examineProject } from "@tsbuilder/simulation";
import { expect } from "vitest";`,
    call: `examineProject({ kind: ${kind.kind}, setup${setup.name === "" || setup.name === "setup" ? "" : `: ${setup.name}`} }, { objects, steps, faults, seed: ${replayed} })`,
  };
  return `To find it again: npx tsbuilder test --explore --seed ${seed}

A test that replays it:

${testOf(scenario, verdict.class, replayed, replay)}`;
}

/** Makes scenarios of a project's controller. Everything that the test leaves open is read from the project's manifests. */
export async function projectScenario({
  kind,
  setup,
  webhooks,
  operations = {},
  folder = ".",
  objects = [],
  ...scenario
}: ProjectExploration): Promise<ScenarioMaker> {
  const crds = await loadManifests<CRD & KubernetesObject>(join(folder, "config/crd/bases"));
  const crd = crds.find(({ metadata }) => metadata.name === `${kind.plural}.${kind.group}`);
  if (!crd)
    throw new TypeError(`config/crd/bases has no CRD of ${kind.kind}: npx tsbuilder manifests writes it`);
  const roles = await loadManifests<{ readonly rules?: readonly PolicyRule[] }>(
    join(folder, "config/rbac/role.yaml"),
  );
  const rules = roles.flatMap((role) => role.rules ?? []);
  const configurations = webhooks ? await webhooksOf(kind, folder) : [];
  const hasLongerNamespace = operations.namespaces === undefined;
  const { namespaces = [...usualNamespaces, longerNamespace], values = {} } = operations;
  const found = otherObjectsOf({ crd, crds, rules, objects, namespaces, values });
  const drawSteps = plansFor(
    crd,
    { ...operations, values: { ...found.values, ...values } },
    { others: found.others, hasLongerNamespace, check: await loadKnownTypesCheck() },
  );
  const made = found.others.flatMap(({ object, isGiven }) => (isGiven ? [] : [object]));
  return (random, plan) => ({
    ...scenario,
    crds,
    operators: [{ name: kind.kind.toLowerCase(), setup: setUpBoth(setup, webhooks), rules }],
    objects: [
      ...namespaces.filter((name) => name !== "default").map(namespaceOf),
      ...objects,
      ...made,
      ...configurations,
    ],
    // Mutating webhooks are called before the schema is checked, and may fail on what it rejects.
    steps: drawSteps(random, plan).filter(({ expect }) => !webhooks || expect !== "rejected"),
  });
}

function setUpBoth(
  controllers: SimulatedOperator["setup"],
  webhooks: SimulatedOperator["setup"] = () => {},
): SimulatedOperator["setup"] {
  return async (manager) => {
    await controllers(manager);
    await webhooks(manager);
  };
}

interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks?: ReadonlyArray<{
    readonly rules?: ReadonlyArray<{
      readonly apiGroups?: readonly string[];
      readonly resources?: readonly string[];
    }>;
  }>;
}

/** Reads the webhooks that are called for a kind. Those of other kinds are left out: the scenario has no process for them. */
async function webhooksOf({ group, plural }: Kind, folder: string): Promise<WebhookConfiguration[]> {
  const all = await loadManifests<WebhookConfiguration>(join(folder, "config/webhook/manifests.yaml"));
  return all.map(({ webhooks = [], ...configuration }) => ({
    ...configuration,
    webhooks: webhooks.filter(({ rules = [] }) =>
      rules.some(
        ({ apiGroups = [], resources = [] }) => apiGroups.includes(group) && resources.includes(plural),
      ),
    ),
  }));
}

async function loadManifests<T>(path: string): Promise<T[]> {
  return (await loadObjects([path])) as unknown as T[];
}

function namespaceOf(name: string): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}
