import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { isObject } from "@tsbuilder/apimachinery/json";
import {
  type Check,
  type ChildFault,
  type Fault,
  type Limits,
  type Phase,
  type Run,
  type Scenario,
  type State,
  type Step,
  readScenario,
  refOf,
  refText,
  stateOf,
} from "../contract/index.ts";
import { environment, withVirtualGlobals } from "../globals/index.ts";
import { baseOf, pathOf } from "./base.ts";
import { User } from "./user.ts";
import { World } from "./world.ts";
import type { Replica } from "./replica.ts";

/**
 * Runs operators and their whole world in this process, under one clock and one seed: the same scenario gives the same
 * trace, on every machine. Idle time costs nothing. Once the steps are done and everything rests, all processes restart
 * (unless faults made some of them), and what the steps created is deleted.
 */
export function simulate(scenario: Scenario): Promise<Run> {
  return runOf(scenario, { isWhole: true });
}

/** Runs a scenario until everything rests after its steps: for the outcome alone, restart and deletion don't matter. */
export function outcomeOf(scenario: Scenario): Promise<Run> {
  return runOf(scenario, { isWhole: false });
}

interface Extent {
  /** Whether the processes restart in the end, and what the steps created is deleted. */
  readonly isWhole: boolean;
}

async function runOf(scenario: Scenario, extent: Extent): Promise<Run> {
  if (environment()) throw new TypeError("a simulation can't run within another one");
  const read = readScenario(scenario);
  const base = await baseOf(read);
  return withVirtualGlobals(async () => {
    const world = new World(read, base);
    await world.open(read);
    try {
      return await live(world, read, extent);
    } finally {
      await world.close();
    }
  });
}

async function live(world: World, scenario: Scenario, { isWhole }: Extent): Promise<Run> {
  const { steps = [], faults = [], seed = 1, limits } = scenario;
  const { loop, recorder, replicas } = world;
  const start = world.random.fork("start");
  for (const replica of replicas) loop.after(start.next() * 200, () => replica.start());
  scheduleFaults(world);
  startAutoscaler(world);
  const user = new User(world, () => lookOn(world, limits));
  const promises = watchPromises(world, scenario);
  const phase = async (name: Phase, take: readonly Step[]): Promise<State | undefined> => {
    let isBusy = true;
    let failure: unknown;
    world
      .as("user", () => user.take(take))
      .catch((error: unknown) => (failure = error))
      .finally(() => (isBusy = false));
    await loop.drain();
    const rests = await settle(world, limits, () => isBusy || loop.now < world.faults.lastUpgrade);
    if (failure) throw failure;
    const busy = rests ? [] : replicas.flatMap((replica) => (replica.isIdle ? [] : [replica.name]));
    recorder.add({ type: "phase", phase: name, rests, ...(busy.length > 0 && { busy }) });
    return rests ? stateOf(world.objects()) : undefined;
  };
  const state = await phase("steps", steps);
  let left: State | undefined;
  if (state && isWhole) {
    promises.end(state);
    if (faults.length === 0) {
      for (const replica of replicas) replica.die({ down: 100 });
      await phase("restart", []);
    }
    left = await phase("deletion", deletions(steps));
  }
  const reached = state ?? stateOf(world.objects());
  return {
    seed,
    trace: recorder.trace,
    state: reached,
    derived: world.derived.among(reached.objects),
    leftovers: left ? leftoversOf(world, scenario, left) : [],
    rejected: user.rejected,
    writes: Object.fromEntries(replicas.map(({ name, writes }) => [name, writes])),
    requests: Object.fromEntries(replicas.map(({ name, requests }) => [name, requests])),
    controllerWrites: world.controllerWrites,
    writePoints: [...world.writePoints],
    diedAt: [...world.diedAt],
    duration: loop.now,
  };
}

/** Sets the timers of the faults that strike at a time. */
function scheduleFaults(world: World): void {
  for (const fault of world.faults.timed)
    world.loop.after(fault.at, () => {
      if ("child" in fault)
        void world.loop.hold(meddle(world, fault)).then((isDone) => isDone && world.note(fault));
      else if (strike(world, fault)) world.note(fault);
    });
}

/** Returns false if there is nothing to strike. */
function strike(world: World, fault: Fault & { readonly at: number }): boolean {
  if (fault.fault === "upgrade") return upgrade(world, fault.operator);
  if (fault.fault === "webhook")
    return world.replicas.some(({ operator }) => operator.name === fault.operator);
  const replica = world.replicas.find(({ name }) => "process" in fault && name === fault.process);
  if (!replica) return false;
  if (fault.fault === "clock") {
    replica.moveDate(fault.by);
    world.loop.after(fault.for, () => replica.moveDate(-fault.by));
  } else if (fault.fault === "suspend") replica.suspend(fault.for);
  else if (fault.fault === "break") breakWatches(replica);
  else if (fault.fault === "expire") world.loop.after(fault.for, () => expire(world, replica));
  return true;
}

/** The processes of the former version end, and those of the present one start. */
function upgrade(world: World, name: string): boolean {
  const replicas = world.replicas.filter(({ operator }) => operator.name === name && operator.former);
  for (const replica of replicas) replica.die({ down: 500 });
  return replicas.length > 0;
}

function breakWatches(replica: Replica): void {
  for (const feed of replica.feeds) feed.break();
}

/** What was held is lost, and the server no longer has it either: the process must list again. */
function expire(world: World, replica: Replica): void {
  world.cluster.core.store.compact();
  breakWatches(replica);
}

/** Somebody's hands on an object that a process created. Returns false if they change nothing. */
async function meddle(world: World, fault: ChildFault): Promise<boolean> {
  const child = world.children[fault.child];
  if (!child || isLeftBehind(child, world.scenario, world.objects())) return false;
  const path = pathOf(world.cluster, child);
  if (fault.fault === "delete-child") return (await world.ask("user", "DELETE", path)).status < 300;
  const current = await objectIn(world.ask("user", "GET", path));
  if (!current) return false;
  if (fault.fault === "recreate-child") return recreate(world, path, current);
  const edited = await objectIn(
    world.ask("user", "PATCH", path, overwrite(current), "application/merge-patch+json"),
  );
  return edited !== undefined && edited.metadata.resourceVersion !== current.metadata.resourceVersion;
}

/** A merge patch as of somebody who overwrites what an operator wrote: data, labels, and a number of the spec. */
function overwrite(child: KubernetesObject & { readonly data?: object; readonly spec?: unknown }): object {
  const [key] = Object.keys(child.data ?? {});
  const { labels = {} } = child.metadata;
  const spec = changedSpec(child);
  return {
    metadata: { labels: Object.fromEntries(Object.keys(labels).map((name) => [name, "changed-by-hand"])) },
    ...(key !== undefined && { data: { [key]: "Y2hhbmdlZA==" } }),
    ...(spec !== undefined && { spec }),
  };
}

/** What nobody set is the API server's to fill in, or another controller's: an operator need not change it back. */
function changedSpec({ metadata, spec }: KubernetesObject & { readonly spec?: unknown }): object | undefined {
  const owned = (metadata.managedFields ?? []).filter(({ subresource }) => subresource === undefined);
  for (const { fieldsV1 } of owned) {
    const patch = withOneMore(spec, (fieldsV1 as { readonly "f:spec"?: unknown } | undefined)?.["f:spec"]);
    if (patch) return patch;
  }
  return undefined;
}

/** The first number among the fields, one higher. Items of lists stay as they are: a merge patch replaces whole lists. */
function withOneMore(value: unknown, fields: unknown): object | undefined {
  if (!isObject(value) || !isObject(fields)) return undefined;
  for (const [field, below] of Object.entries(fields)) {
    const name = field.startsWith("f:") ? field.slice(2) : "";
    const held = value[name];
    if (typeof held === "number") return { [name]: held + 1 };
    const patch = withOneMore(held, below);
    if (patch) return { [name]: patch };
  }
  return undefined;
}

/**
 * Whether an object has outlived, on purpose, the one that it was made for: nobody looks after it any more. It is said to
 * have been made for that object of the user's whose name is in its own, the longest one.
 */
export function isLeftBehind(
  child: KubernetesObject,
  { steps = [], mayStay }: Scenario,
  present: readonly KubernetesObject[],
): boolean {
  if (!mayStay?.(child) || child.metadata.ownerReferences) return false;
  const { namespace, name: own = "" } = child.metadata;
  const refs = steps.flatMap((step) => (step.do === "apply" ? [refOf(step.object)] : []));
  const [madeFor] = refs
    .filter((ref) => (ref.namespace ?? namespace) === namespace && own.includes(ref.name))
    .toSorted((a, b) => b.name.length - a.name.length);
  if (!madeFor) return false;
  const alive = present.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return !alive.some((object) => refText(refOf(object)) === refText(madeFor));
}

/**
 * As from a backup, with the owners that it had, and the managers of its fields: else what its operator no longer applies
 * would stay. What nobody owns would be a stranger's from now on.
 */
async function recreate(world: World, path: string, child: KubernetesObject): Promise<boolean> {
  const { name, namespace, labels, annotations, ownerReferences, managedFields } = child.metadata;
  if (!ownerReferences || (await world.ask("user", "DELETE", path)).status >= 300) return false;
  const metadata = { name, namespace, labels, annotations, ownerReferences };
  const { status } = await world.ask("user", "POST", path.slice(0, path.lastIndexOf("/")), {
    ...child,
    metadata,
  });
  await world.ask("user", "PATCH", path, { metadata: { managedFields } }, "application/merge-patch+json");
  return status < 300;
}

async function objectIn(answer: ReturnType<World["ask"]>): Promise<KubernetesObject | undefined> {
  const { status, body } = await answer;
  return status < 300 ? (JSON.parse(body.toString()) as KubernetesObject) : undefined;
}

/** Without a change by a process or a user for this long, or the attempt, and without work, everything has come to rest. */
const quiet = 60_000;

/** How long the user looks away. */
const glance = 1000;

const defaults: Required<Limits> = { time: 1_800_000, changes: 2500, changesOfObject: 250 };

/** Whether the operators rest, or never will. */
class Rest {
  readonly #world: World;
  readonly #limits: Required<Limits>;
  #start: number;

  constructor(world: World, limits: Limits = {}) {
    this.#world = world;
    this.#limits = { ...defaults, ...limits };
    this.#start = world.loop.now;
    world.lastEffort = world.loop.now;
    world.changes.clear();
  }

  get isReached(): boolean {
    const { loop, lastEffort, recorder, replicas } = this.#world;
    return (
      loop.now - Math.max(lastEffort, recorder.lastError) >= quiet && replicas.every(({ isIdle }) => isIdle)
    );
  }

  /** Whether the processes have changed more than any way to the desired state does, or for too long. */
  get isHopeless(): boolean {
    const { loop, changes } = this.#world;
    const { time, changes: most, changesOfObject } = this.#limits;
    return loop.now - this.#start > time || changes.all > most || changes.ofOneObject > changesOfObject;
  }
}

/** Moves the time until the operators rest. Returns false if they never do. */
async function settle(world: World, limits?: Limits, isBusy = (): boolean => false): Promise<boolean> {
  while (isBusy()) if (!(await world.loop.step())) return true;
  const rest = new Rest(world, limits);
  for (;;) {
    if (rest.isReached) return true;
    if (rest.isHopeless) return false;
    if (!(await world.loop.step())) return true;
  }
}

/** A user waits until the operators rest, or until it is clear that they never will. */
async function lookOn(world: World, limits?: Limits): Promise<void> {
  const rest = new Rest(world, limits);
  while (!rest.isReached && !rest.isHopeless) await world.wait(glance);
}

/** How often an autoscaler looks, as in a real cluster. */
const period = 15_000;

interface Autoscaler extends KubernetesObject {
  readonly spec: {
    readonly minReplicas?: number;
    readonly scaleTargetRef: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
  };
}

/**
 * The controller of HorizontalPodAutoscalers in a world without load: every target gets the fewest replicas that its
 * autoscaler allows. So the number doesn't depend on what it was before, and an operator that sets it, too, fights.
 */
function startAutoscaler(world: World): void {
  const { store } = world.cluster.core;
  const autoscalers = store.collection("horizontalpodautoscalers.autoscaling");
  let isPlanned = false;
  store.listen(() => {
    if (isPlanned || autoscalers.size === 0) return;
    isPlanned = true;
    world.loop.after(period, () => {
      isPlanned = false;
      for (const { object } of autoscalers.list())
        void world.loop.hold(scale(world, object as unknown as Autoscaler));
    });
  });
}

/** As in a real cluster, nothing is done for a target that has no scale, or that was scaled to zero. */
async function scale(world: World, { metadata, spec }: Autoscaler): Promise<void> {
  const { minReplicas = 1, scaleTargetRef } = spec;
  const { apiVersion = "v1", kind, name } = scaleTargetRef;
  if (!world.cluster.core.registry.findKind(apiVersion.split("/").at(-2) ?? "", kind)) return;
  const target = { apiVersion, kind, metadata: { namespace: metadata.namespace!, name } };
  const path = `${pathOf(world.cluster, target)}/scale`;
  const { status, body } = await world.ask("autoscaler", "GET", path);
  if (status !== 200) return;
  const current = (JSON.parse(body.toString()) as { spec: { replicas?: number } }).spec.replicas ?? 0;
  if (current === 0 || current === minReplicas) return;
  const merge = { spec: { replicas: minReplicas } };
  await world.ask("autoscaler", "PATCH", path, merge, "application/merge-patch+json");
}

/** Checks the user's promises: after each change, and in the end. Each is reported once. */
function watchPromises(
  world: World,
  { always = {}, never = {}, eventually = {} }: Scenario,
): { end(state: State): void } {
  const broken = new Set<string>();
  const check = (
    promise: "always" | "never" | "eventually",
    checks: { readonly [name: string]: Check },
    state: State,
    wanted: boolean,
  ): void => {
    for (const [name, holds] of Object.entries(checks)) {
      if (broken.has(name) || holds(state) === wanted) continue;
      broken.add(name);
      world.recorder.add({ type: "promise", promise, name });
    }
  };
  if (Object.keys({ ...always, ...never }).length > 0)
    world.onChange = () => {
      const state = stateOf(world.objects());
      check("always", always, state, true);
      check("never", never, state, false);
    };
  return { end: (state) => check("eventually", eventually, state, true) };
}

/** Deletes what the steps applied, the last first. */
function deletions(steps: readonly Step[]): Step[] {
  const refs = new Map(
    steps.flatMap((step) =>
      step.do === "apply" ? [[refText(refOf(step.object)), refOf(step.object)] as const] : [],
    ),
  );
  return [...refs.values()].toReversed().map((target) => ({ do: "delete", target, after: 10 }));
}

/**
 * What processes created, or what the steps created and nobody finished deleting, unless it belongs to an object that is
 * there to stay.
 */
function leftoversOf(
  world: World,
  { steps = [], mayStay = () => false }: Scenario,
  { objects }: State,
): State["objects"] {
  const applied = new Set(
    steps.flatMap((step) => (step.do === "apply" ? [refText(refOf(step.object))] : [])),
  );
  const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
  const isLeft = (object: KubernetesObject, below: readonly string[] = []): boolean => {
    const { uid = "", ownerReferences = [] } = object.metadata;
    if (applied.has(refText(refOf(object))) || below.includes(uid)) return true;
    if (!world.isProcess(world.creators.get(uid) ?? "")) return false;
    const owners = ownerReferences.flatMap((owner) => byUid.get(owner.uid) ?? []);
    return owners.every((owner) => isLeft(owner, [...below, uid]));
  };
  return objects.filter((object) => isLeft(object) && !mayStay(object));
}
