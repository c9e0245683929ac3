// The scenarios of a project's controller: what a test leaves open is read from the project's manifests, and from those of its last
// release. Begin with `projectScenario()`.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { Random } from "@tsbuilder/apimachinery/sample";
import { loadObjects, parseYaml } from "@tsbuilder/cluster/testing";
import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import type { OperatorRelease, Scenario, SimulatedOperator } from "./contract/index.ts";
import type { WrittenObject } from "./contract/scenario.ts";
import type { ScenarioMaker } from "./explore/explore.ts";
import { type CRD, type UserObject, checkedKind } from "./operations/draw-object.ts";
import { loadKnownTypesCheck } from "./operations/kubernetes-types.ts";
import { longerNamespace, usualNamespaces } from "./operations/names.ts";
import { type OperationsOptions, type PlannedStep, plansFor } from "./operations/operations-for.ts";
import { otherObjectsOf } from "./operations/other-objects.ts";
import { findRelease } from "./released-project.ts";

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
  /**
   * Imports the `setup`, and the `webhooks` if this release has any, from the folder of the last release. Some runs begin with that
   * release and are upgraded, and some try this one and are rolled back.
   */
  readonly former?: (release: string) => Promise<Pick<ProjectExploration, "setup" | "webhooks">>;
  /** The release: a git ref, or a folder. Default: the newest tag such as `v1.2.0`, of those that the current commit descends from. */
  readonly from?: string;
  readonly operations?: OperationsOptions;
  /** The project's folder. Default: the current one. */
  readonly folder?: string;
}

/** The scenarios of a project's controller. */
export interface ProjectScenarios {
  readonly make: ScenarioMaker;
  /** Says which release some plans begin with, or why none does; undefined if the test doesn't ask for one. */
  readonly release: string | undefined;
  /** The release that a plan begins with, or rolls back to. */
  readonly from: (plan: number) => string | undefined;
}

/** Makes scenarios of a project's controller. Every third plan is about its last release, if there is one. */
export async function projectScenario(project: ProjectExploration): Promise<ProjectScenarios> {
  const { kind, setup, webhooks, folder = "." } = project;
  const present = await readManifests(folder, kind, webhooks !== undefined);
  if (!hasCrd(present))
    throw new TypeError(`config/crd/bases has no CRD of ${kind.kind}: npx tsbuilder manifests writes it`);
  const operator = {
    name: kind.kind.toLowerCase(),
    setup: setUpBoth(setup, webhooks),
    rules: present.rules,
  };
  const draw = await drawerOf(project, present);
  // Mutating webhooks are called before the schema is checked, and may fail on what it rejects.
  const isWanted = ({ expect }: PlannedStep): boolean => !webhooks || expect !== "rejected";
  const makeOwn: ScenarioMaker = (random, plan) => ({
    ...draw.options,
    crds: present.crds,
    operators: [operator],
    objects: [...draw.objects, ...present.webhooks],
    steps: draw.steps(random, plan).filter(isWanted),
  });
  const former = project.former && (await readRelease(project, present));
  if (former === undefined || typeof former === "string")
    return { make: makeOwn, release: former, from: () => undefined };
  const makeOfRelease = await releaseMaker(project, operator, present, former);
  return {
    make(random, plan) {
      const before = Math.floor((plan + 1) / 3);
      return isOfRelease(plan) ? makeOfRelease(random, before) : makeOwn(random, plan - before);
    },
    release: `every third plan begins with ${former.name}, or is rolled back to it`,
    from: (plan) => (isOfRelease(plan) ? former.name : undefined),
  };
}

function isOfRelease(plan: number): boolean {
  return plan % 3 === 1;
}

function isSameSchema(one: CRD, other: CRD): boolean {
  const [schema, otherSchema] = [one, other].map(({ spec }) =>
    JSON.stringify(spec.versions.find(({ storage }) => storage)?.schema),
  );
  return schema === otherSchema;
}

/** The number of plans in which a step is looked for that only the former release admits. */
const plansLookedThrough = 200;

/** Looks for such a step. To draw a plan takes much less time than to carry it out. */
function findRejected(
  draw: Drawer["steps"],
  judge: (step: PlannedStep) => Admission,
): PlannedStep | undefined {
  for (let plan = 0; plan < plansLookedThrough; plan++) {
    const steps = draw(new Random(plan).fork("scenario"), plan);
    const found = steps.find((step) => step.expect !== "rejected" && judge(step) === "rejected");
    if (found) return found;
  }
  return undefined;
}

/** Makes scenarios that begin with the former release. Users do what its CRD admits, so that it is valid for both. */
async function releaseMaker(
  project: ProjectExploration,
  present: SimulatedOperator,
  manifests: KindManifests,
  former: FormerRelease,
): Promise<ScenarioMaker> {
  const draw = await drawerOf(project, former);
  const { release } = former;
  const isServed = (object: KubernetesObject): boolean =>
    !manifests.crds.some((crd) => defines(crd, object)) || former.crds.some((crd) => defines(crd, object));
  const objects = draw.objects.filter(isServed);
  const judge = admissionBy(project.folder, manifests.crd, former.crd);
  const drawSteps = (random: Random, plan: number): PlannedStep[] =>
    draw
      .steps(random, plan)
      .filter((step) => step.expect !== "rejected" && judge(step) !== "rejected on purpose");
  const tightened = isSameSchema(manifests.crd, former.crd)
    ? undefined
    : findRejected(plansFor(former.crd, project.operations ?? {}), judge);
  return (random, plan) => {
    const steps = plan === 0 && tightened ? [tightened] : drawSteps(random, plan);
    const scenario = { ...draw.options, steps };
    if (plan % 3 !== 1)
      return {
        ...scenario,
        crds: manifests.converted,
        operators: [{ ...present, former: release }],
        objects: [...objects, ...manifests.webhooks],
      };
    const { setup, rules = [] } = present;
    const next = { setup, rules, crds: manifests.converted, webhooks: manifests.webhooks };
    return {
      ...scenario,
      crds: former.converted,
      operators: [{ name: present.name, setup: release.setup, rules: former.rules, next }],
      objects: [...objects, ...former.webhooks],
    };
  };
}

/** Draws the steps of users, plan by plan, and holds what all plans have in common. */
interface Drawer {
  /** The parts of the scenario that the test gives. */
  readonly options: Partial<Scenario>;
  readonly objects: readonly WrittenObject[];
  readonly steps: (random: Random, plan: number) => PlannedStep[];
}

async function drawerOf(project: ProjectExploration, { crd, crds, rules }: KindManifests): Promise<Drawer> {
  const {
    kind: _kind,
    setup: _setup,
    webhooks: _webhooks,
    former: _former,
    from: _from,
    folder: _folder,
    operations = {},
    objects = [],
    ...options
  } = project;
  const hasLongerNamespace = operations.namespaces === undefined;
  const { namespaces = [...usualNamespaces, longerNamespace], values = {} } = operations;
  const found = otherObjectsOf({ crd, crds, rules, objects, namespaces, values });
  const steps = plansFor(
    crd,
    { ...operations, values: { ...found.values, ...values } },
    { others: found.others, hasLongerNamespace, check: await loadKnownTypesCheck() },
  );
  const made = found.others.flatMap(({ object, isGiven }) => (isGiven ? [] : [object]));
  const all = [...namespaces.filter((name) => name !== "default").map(namespaceOf), ...objects, ...made];
  return { options, objects: all, steps };
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

/** The manifests of a project that are about a kind and its operator. */
interface ProjectManifests {
  readonly crds: readonly CRDObject[];
  /** The CRDs, with the conversions by webhooks that kustomize patches into them. */
  readonly converted: readonly CRDObject[];
  readonly crd: CRDObject | undefined;
  readonly rules: readonly PolicyRule[];
  readonly webhooks: readonly WebhookConfiguration[];
}

/** The manifests of a project that has the kind. */
interface KindManifests extends ProjectManifests {
  readonly crd: CRDObject;
}

function hasCrd(manifests: ProjectManifests): manifests is KindManifests {
  return manifests.crd !== undefined;
}

type CRDObject = CRD & KubernetesObject;

interface FormerRelease extends KindManifests {
  readonly name: string;
  readonly release: OperatorRelease;
}

/** Reads the last release. Returns the reason if no plan can begin with it. */
async function readRelease(
  { kind, webhooks, former, from, folder = "." }: ProjectExploration,
  present: KindManifests,
): Promise<FormerRelease | string> {
  const found = findRelease(folder, from ?? process.env["TSBUILDER_EXPLORE_FROM"]);
  if (!found) return "there is no release yet to begin with";
  const { name } = found;
  const manifests = await readManifests(found.folder, kind, webhooks !== undefined);
  if (!hasCrd(manifests)) return `${name} has no ${kind.kind} to begin with`;
  const stored = storageVersion(manifests.crd);
  if (!present.crd.spec.versions.some((version) => version.name === stored && version.served))
    return `no plan begins with ${name}: its version ${stored} is no longer served`;
  if (!webhooks && stored !== storageVersion(present.crd))
    return `no plan begins with ${name}: its objects must be converted, and the test has no "webhooks"`;
  const imported = await former!(found.folder).catch((cause: unknown) => {
    throw new Error(
      `the controller of ${name} can't be imported: name its file there, or omit "former" until the next release`,
      { cause },
    );
  });
  // A name that the module of the release doesn't export is undefined.
  if (typeof imported.setup !== "function")
    throw new TypeError(`the "setup" of ${name} is not a function: name what its module exports`);
  const hasWebhooks = manifests.webhooks.some((configuration) => configuration.webhooks?.length);
  if (hasWebhooks && !imported.webhooks)
    throw new TypeError(`${name} has webhooks of ${kind.kind}: let "former" return them beside its "setup"`);
  const release = {
    setup: setUpBoth(imported.setup, imported.webhooks),
    rules: manifests.rules,
    crds: manifests.converted,
    webhooks: manifests.webhooks,
  };
  return { ...manifests, name, release };
}

function storageVersion({ spec }: CRD): string | undefined {
  return spec.versions.find(({ storage }) => storage)?.name;
}

/** The answer of the present CRD to an object that the former release admits. */
type Admission = "admitted" | "rejected" | "rejected on purpose";

/** Returns a function that judges steps by the present CRD. Rejections at the fields that `tsbuilder api check --allow` names are meant. */
function admissionBy(folder = ".", { spec }: CRD, former: CRD): (step: PlannedStep) => Admission {
  const file = join(folder, "config/api-changes.yaml");
  const allowed = existsSync(file) ? parseYaml(readFileSync(file, "utf8")).flat() : [];
  const paths = (allowed as readonly (MeantChange | null)[]).flatMap((change) =>
    change ? [change.path?.replace(/^[^.].*?\/[^.]+/u, "") ?? ""] : [],
  );
  const version = storageVersion(former);
  const versions = spec.versions.filter(({ name }) => name === version);
  const kind = checkedKind({ spec: { ...spec, versions } });
  const isMeant = (field: string): boolean => paths.some((path) => `.${field}`.startsWith(path));
  return (step) => {
    const isOfKind = step.do === "apply" && defines({ spec }, step.object);
    const errors = isOfKind ? kind.errors(step.object as UserObject) : [];
    if (errors.length === 0) return "admitted";
    return errors.every(({ field }) => isMeant(field)) ? "rejected on purpose" : "rejected";
  };
}

/** An entry of the file that `tsbuilder api check --allow` writes. */
interface MeantChange {
  readonly path?: string;
}

function defines({ spec }: CRD, { apiVersion, kind }: KubernetesObject): boolean {
  return spec.names.kind === kind && apiVersion.startsWith(`${spec.group}/`);
}

/** Reads the manifests of a project, with its webhooks if they are to be called. */
async function readManifests(folder: string, kind: Kind, hasWebhooks: boolean): Promise<ProjectManifests> {
  const crds = await loadManifests<CRDObject>(join(folder, "config/crd/bases"));
  const patches = hasWebhooks ? await loadManifests<CRDObject>(join(folder, "config/crd/patches")) : [];
  const roles = await loadManifests<{ readonly rules?: readonly PolicyRule[] }>(
    join(folder, "config/rbac/role.yaml"),
  );
  return {
    crds,
    converted: crds.map((crd) => withConversion(crd, patches)),
    crd: crds.find(({ metadata }) => metadata.name === `${kind.plural}.${kind.group}`),
    rules: roles.flatMap((role) => role.rules ?? []),
    webhooks: hasWebhooks ? await webhooksOf(kind, folder) : [],
  };
}

function withConversion(crd: CRDObject, patches: readonly CRDObject[]): CRDObject {
  const patch = patches.find(({ metadata, spec }) => metadata.name === crd.metadata.name && spec.conversion);
  return patch?.spec.conversion ? { ...crd, spec: { ...crd.spec, conversion: patch.spec.conversion } } : crd;
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

/** Reads the objects in a file or folder. A project that has no such file has no such objects. */
async function loadManifests<T>(path: string): Promise<T[]> {
  return existsSync(path) ? ((await loadObjects([path])) as unknown as T[]) : [];
}

function namespaceOf(name: string): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}
