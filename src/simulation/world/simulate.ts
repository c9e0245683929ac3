// One run, from the first start of its processes to the end of its deletions. Begin here. `world.ts` has the cluster and its
// records, `replica.ts` a process, `network.ts` everything between the two.

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { isObject } from "@tsbuilder/apimachinery/json";
import type {
  ChildFault,
  Fault,
  NodeFault,
  Phase,
  PodFault,
  ReleaseFault,
  Run,
  Scenario,
  Step,
} from "../contract/index.ts";
import { eventsIn } from "../contract/run.ts";
import { appliedIn, readScenario } from "../contract/scenario.ts";
import { type Ref, type State, refOf, refText, refTextOf, stateOf } from "../contract/state.ts";
import { environment } from "../globals/environment.ts";
import { withVirtualGlobals } from "../globals/virtual-globals.ts";
import { withoutAllocations } from "./allocations.ts";
import { baseOf, pathOf } from "./base.ts";
import type { TimedFault } from "./fault-plan.ts";
import { managerLife } from "./network.ts";
import { programLife } from "./program.ts";
import { outdatedPods } from "./outdated-pods.ts";
import { atStart, changeRelease } from "./releases.ts";
import { watchPromises } from "./promises.ts";
import { type Outlook, atOnce, later, months, soon, untilRest, waitForRest } from "./rest.ts";
import { User } from "./user.ts";
import { World } from "./world.ts";
import type { Life, Replica, RunningLife } from "./replica.ts";
import type { Witness } from "./witness.ts";

/**
 * Runs operators and their whole world in this process, under one clock and one seed: the same scenario gives the same
 * trace, on every machine. Idle time costs nothing. Once the steps are done and everything rests, a hundred days pass, before
 * and after which all processes restart, and everything that the steps created is deleted. A scenario with faults has the
 * hundred days only if one of them strikes there, and no restart before them.
 */
export function simulate(scenario: Scenario): Promise<Run> {
  const { faults = [], operators } = scenario;
  // Nothing moves the clock of a process of its own.
  const hasMonths = operators.every(({ program }) => !program) && faults.length === 0;
  // Faults are aimed at what this run does, also after a short wait of the operator.
  const whole = { isWhole: true, hasMonths: hasMonths || strikesInMonths(faults), patience: shortWait };
  return runScenario(scenario, whole);
}

/** Real milliseconds for which an operator with a process of its own may wait in the middle of its work. */
const shortWait = 4000;

function strikesInMonths(faults: readonly Fault[]): boolean {
  return faults.some((fault) => fault.in === "months");
}

/** Runs a scenario with faults. The run without them tells whether anything is due in the hundred days. */
export function simulateDisturbed(scenario: Scenario, plain: Run): Promise<Run> {
  const hasMonths = hasWorkInMonths(plain) || strikesInMonths(scenario.faults ?? []);
  return runScenario(scenario, { isWhole: true, hasMonths });
}

/** Runs a scenario until everything rests after its steps, without restart and deletion: enough to compare outcomes. */
export function outcomeOf(scenario: Scenario): Promise<Run> {
  return runScenario(scenario, { isWhole: false, hasMonths: false });
}

/**
 * Does the same with slow pods, and waits for longer: what differs depends on how long pods take, or on how long one waits. If pods
 * get ready after more time than something disturbs them for, an operator that waits for a limited time gives up, if it ever does.
 */
export function lateOutcomeOf(scenario: Scenario, slowReady: number): Promise<Run> {
  return runScenario(scenario, { isWhole: false, hasMonths: false, slowReady, outlook: later });
}

/** Does the same, but waits for what is due within two hours. */
export function patientOutcomeOf(scenario: Scenario): Promise<Run> {
  return runScenario(scenario, { isWhole: false, hasMonths: false, outlook: later });
}

/** Runs a scenario whose processes restart as soon as they rest, before anything is due that needs a wait. */
export function restartedAtOnce(scenario: Scenario): Promise<Run> {
  return runScenario(scenario, { isWhole: true, hasMonths: false, outlook: atOnce });
}

/** Does the same as `simulate()`, and gives operators with processes of their own the time in each phase to do what is due soon. */
export function simulatePatiently(scenario: Scenario): Promise<Run> {
  return runScenario(scenario, { isWhole: true, hasMonths: false, outlook: later, patience: later.patience });
}

/** Repeats a run before a witness; without a run, as `outcomeOf()` does. */
export function simulateBefore(witness: Witness, scenario: Scenario, run?: Run): Promise<Run> {
  const hasMonths = run?.trace.some((event) => event.type === "phase" && event.phase === "months") ?? false;
  return runScenario(scenario, { isWhole: run !== undefined, hasMonths, witness });
}

/** How a run differs from that of `simulate()`, and who sees it. */
interface Extent {
  /** The processes restart in the end, and everything that the steps created is deleted. */
  readonly isWhole: boolean;
  /** Before the deletion, months pass. */
  readonly hasMonths: boolean;
  /** Pods are slow, and get ready so many milliseconds after their start. */
  readonly slowReady?: number;
  /** How far to look after the steps. Default: `soon`. */
  readonly outlook?: Outlook;
  /** Real milliseconds that operators with processes of their own get in each phase, at least. */
  readonly patience?: number;
  readonly witness?: Witness;
}

/** Returns whether anything is done in the hundred days, besides looking: then disturbed runs have them, too. */
export function hasWorkInMonths({ trace, writes }: Run): boolean {
  return eventsIn("months", trace).some(
    (event) => (event.type === "call" && event.isChange) || (event.type === "change" && event.by in writes),
  );
}

/** Begins a life of a process: of code in this one, or of a process of its own. */
function beginLife(world: World, replica: Replica, life: Life): RunningLife {
  const { program } = replica.operator;
  return program ? programLife(world, replica, program, life) : managerLife(world, replica, life);
}

async function runScenario(scenario: Scenario, extent: Extent): Promise<Run> {
  if (environment()) throw new TypeError("a simulation can't run within another one");
  const read = readScenario(scenario);
  const base = await baseOf(atStart(read));
  return withVirtualGlobals(async () => {
    const world = new World(read, base, beginLife, extent);
    const { witness } = extent;
    world.recorder.witness = witness;
    await world.open(read);
    const run = (): Promise<Run> => runPhases(world, read, extent);
    try {
      return await (witness?.watchReconciles(() => world.loop.now, run) ?? run());
    } finally {
      await world.close();
    }
  });
}

/** Goes through the phases of a run, and collects its record. */
async function runPhases(
  world: World,
  scenario: Scenario,
  { isWhole, hasMonths, outlook: toOutcome = soon, patience = 0 }: Extent,
): Promise<Run> {
  const { steps = [], faults = [], seed = 1, limits } = scenario;
  const { loop, recorder, replicas } = world;
  const start = world.random.fork("start");
  for (const replica of replicas) loop.after(start.next() * 200, () => replica.start());
  startAutoscaler(world);
  const user = new User(world, () => waitForRest(world, limits));
  const promises = isWhole ? watchPromises(world, scenario) : undefined;
  const phase = async (
    name: Phase,
    act: () => Promise<void>,
    outlook: Outlook,
  ): Promise<State | undefined> => {
    let isBusy = true;
    let failure: unknown;
    scheduleFaults(world, name);
    world
      .as("user", act)
      .catch((error: unknown) => (failure = error))
      .finally(() => (isBusy = false));
    await loop.drain();
    const rests = await untilRest(
      world,
      { ...outlook, patience: Math.max(outlook.patience, patience) },
      limits,
      () => isBusy || world.migrations > 0 || loop.now < world.faults.lastInstall,
    );
    if (failure) throw failure;
    promises?.end(name, rests);
    const busy = rests ? [] : replicas.flatMap((replica) => (replica.isIdle ? [] : [replica.name]));
    recorder.add({ type: "phase", phase: name, rests, ...(busy.length > 0 && { busy }) });
    return rests ? world.state() : undefined;
  };
  const restart = async (name: Phase): Promise<State | undefined> => {
    for (const replica of replicas) replica.die({ down: 100 });
    return phase(name, nothing, atOnce);
  };
  const state = await phase("steps", () => user.take(steps), toOutcome);
  const outdated = outdatedPods(world);
  let undeleted = state;
  let withoutOne: Run["withoutOne"];
  let left: State | undefined;
  const deleteAll = async (): Promise<void> => {
    const refs = [...createdIn(scenario).values()].toReversed();
    const first = Object.keys(scenario.external ?? {}).length > 0 ? shortestOfSeveral(refs) : undefined;
    if (first) {
      const before = world.state();
      await user.take([deletionOf(first), { do: "settle" }]);
      withoutOne = { deleted: first, before, after: world.state() };
    }
    await user.take(refs.filter((ref) => ref !== first).map(deletionOf));
  };
  if (state && isWhole) {
    if (faults.length === 0) await restart("restart");
    if (hasMonths) {
      await phase("months", nothing, months);
      undeleted = await restart("late restart");
    }
    left = await phase("deletion", deleteAll, soon);
  }
  const end = state ?? world.state();
  const reached = world.activity
    ? { ...end, ...stateOf(withoutAllocations(end.objects), end.external, end.now) }
    : end;
  return {
    seed,
    trace: recorder.trace,
    state: { ...reached, outdated },
    derived: world.derived.among(reached.objects),
    leftovers: left ? findLeftovers(world, scenario, left) : [],
    remaining: left?.objects ?? [],
    ...(withoutOne && { withoutOne }),
    leftOutside: left ? world.external.leftovers(scenario, left) : [],
    lostOutside: undeleted && left ? world.external.losses(undeleted) : [],
    rejected: user.rejected,
    writes: Object.fromEntries(replicas.map(({ name, writes }) => [name, writes])),
    requests: Object.fromEntries(replicas.map(({ name, requests }) => [name, requests])),
    calls: Object.fromEntries(replicas.map(({ name, externalCalls }) => [name, externalCalls])),
    controllerWrites: world.controllerWrites,
    writePoints: [...world.writePoints],
    diedAt: [...world.diedAt],
    duration: loop.now,
  };
}

/** Sets the timers of a phase's faults that strike at a given time. Faults that strike a request are looked up by the network. */
function scheduleFaults(world: World, phase: Phase): void {
  const { now } = world.loop;
  for (const fault of world.faults.begin(phase, now, world.replicas))
    world.loop.after(fault.at - now, () => {
      if ("child" in fault) void actAsUser(world, fault).then((isDone) => isDone && world.note(fault));
      else if (fault.fault === "pod" || fault.fault === "node")
        void world.kubelets.strike(fault).then((isDone) => isDone && world.note(fault));
      else if (fault.fault === "upgrade" || fault.fault === "rollback")
        void changeRelease(world, fault).then((isDone) => isDone && world.note(fault));
      else if (strike(world, fault)) world.note(fault);
    });
}

/** Carries out a fault. Returns false if the scenario has nothing that it could strike. */
function strike(
  world: World,
  fault: Exclude<TimedFault, ChildFault | PodFault | NodeFault | ReleaseFault>,
): boolean {
  switch (fault.fault) {
    case "webhook":
      return world.replicas.some(({ operator }) => operator.name === fault.operator);
    default: {
      const replica = world.replicas.find(({ name }) => name === fault.process);
      if (replica) strikeProcess(world, replica, fault);
      return replica !== undefined;
    }
  }
}

type ProcessFault = Extract<Fault, { readonly process: string }>;

function strikeProcess(world: World, replica: Replica, fault: ProcessFault): void {
  switch (fault.fault) {
    case "clock":
      replica.moveDate(fault.by);
      world.loop.after(fault.for, () => replica.moveDate(-fault.by));
      return;
    case "suspend":
      return replica.suspend(fault.for);
    case "break":
      return breakWatches(replica);
    case "expire":
      world.loop.after(fault.for, () => expire(world, replica));
      return;
    case "cut":
    case "lease":
    case "hold":
    case "crash":
    case "refuse":
    case "call":
    // The network looks these up.
  }
}

function breakWatches(replica: Replica): void {
  for (const feed of replica.feeds) feed.break();
}

/** Drops the events that were held, and the server's own history of them, so that the process must list again. */
function expire(world: World, replica: Replica): void {
  world.cluster.core.store.compact();
  breakWatches(replica);
}

/** Deletes, overwrites or recreates an object in the name of a user. Returns false if nothing changes. */
async function actAsUser(world: World, fault: ChildFault): Promise<boolean> {
  const child = world.createdObjects[fault.child];
  if (!child || isLeftBehind(child, world.scenario, world.objects())) return false;
  const path = pathOf(world.cluster, child);
  if (fault.fault === "delete-child") return (await world.ask("user", "DELETE", path)).status < 300;
  const current = await readObject(world.ask("user", "GET", path));
  if (!current) return false;
  if (fault.fault === "recreate-child") return recreateChild(world, path, current);
  const edited = await readObject(world.ask("user", "PATCH", path, overwritingPatch(world, current)));
  return edited !== undefined && edited.metadata.resourceVersion !== current.metadata.resourceVersion;
}

/** Returns a merge patch that overwrites an operator's fields: a key of the data, all labels, and a number of the spec. */
function overwritingPatch(
  world: World,
  child: KubernetesObject & { readonly data?: object; readonly spec?: unknown },
): object {
  const [key] = Object.keys(child.data ?? {});
  const { labels = {} } = child.metadata;
  const spec = changedSpec(child, specAtCreation(world, child));
  return {
    metadata: { labels: Object.fromEntries(Object.keys(labels).map((name) => [name, "changed-by-hand"])) },
    ...(key !== undefined && { data: { [key]: "Y2hhbmdlZA==" } }),
    ...(spec !== undefined && { spec }),
  };
}

/**
 * Returns a patch of a field of the spec that some field manager owns. A field without an owner is a default, or belongs to
 * another controller: an operator need not change it back.
 */
function changedSpec(
  { metadata, spec }: KubernetesObject & { readonly spec?: unknown },
  created: unknown,
): object | undefined {
  const owned = (metadata.managedFields ?? []).filter(({ subresource }) => subresource === undefined);
  for (const { fieldsV1 } of owned) {
    const patch = incrementedField(
      created === undefined ? spec : within(spec, created),
      (fieldsV1 as { readonly "f:spec"?: unknown } | undefined)?.["f:spec"],
    );
    if (patch) return patch;
  }
  return undefined;
}

/** Returns the spec with which a process created an object, before the server filled in defaults: who writes all of it back owns them. */
function specAtCreation({ recorder }: World, child: KubernetesObject): unknown {
  const name = refTextOf(child);
  const creation = recorder.trace.findLast(
    (event) => event.type === "request" && event.method === "POST" && event.object === name,
  );
  if (creation?.type !== "request" || creation.body === undefined) return undefined;
  return (JSON.parse(creation.body) as { readonly spec?: unknown }).spec;
}

/** Returns the fields of a value that another value has, too. */
function within(value: unknown, other: unknown): unknown {
  if (!isObject(value) || !isObject(other)) return value;
  const both = Object.keys(value).filter((name) => name in other);
  return Object.fromEntries(both.map((name) => [name, within(value[name], other[name])]));
}

/** Adds one to the first number among the owned fields. Numbers in lists are left alone: a merge patch replaces whole lists. */
function incrementedField(value: unknown, fields: unknown): object | undefined {
  if (!isObject(value) || !isObject(fields)) return undefined;
  for (const [field, below] of Object.entries(fields)) {
    const name = field.startsWith("f:") ? field.slice(2) : "";
    const held = value[name];
    if (typeof held === "number") return { [name]: held + 1 };
    const patch = incrementedField(held, below);
    if (patch) return { [name]: patch };
  }
  return undefined;
}

/**
 * Returns true if an object is allowed to outlive (`mayStay`) the object that it was created for, and has: no operator
 * corrects it any more. It was created for the user's object with the longest name that its own name contains.
 */
export function isLeftBehind(
  child: KubernetesObject,
  { steps, mayStay }: Scenario,
  present: readonly KubernetesObject[],
): boolean {
  if (!mayStay?.(child) || child.metadata.ownerReferences) return false;
  const { namespace, name: childName = "" } = child.metadata;
  const [createdFor] = appliedIn(steps)
    .map(refOf)
    .filter((ref) => (ref.namespace ?? namespace) === namespace && childName.includes(ref.name))
    .toSorted((a, b) => b.name.length - a.name.length);
  if (!createdFor) return false;
  const alive = present.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return !alive.some((object) => refTextOf(object) === refText(createdFor));
}

/**
 * Deletes an object and creates it again, as a restore from a backup does: with its owners, and with its managedFields, or the
 * operator could not remove fields that it applied before. An object without owners is left alone: its operator would not take
 * the new one for its own.
 */
async function recreateChild(world: World, path: string, child: KubernetesObject): Promise<boolean> {
  const { name, namespace, labels, annotations, ownerReferences, managedFields } = child.metadata;
  if (!ownerReferences || (await world.ask("user", "DELETE", path)).status >= 300) return false;
  const metadata = { name, namespace, labels, annotations, ownerReferences };
  const { status } = await world.ask("user", "POST", path.slice(0, path.lastIndexOf("/")), {
    ...child,
    metadata,
  });
  await world.ask("user", "PATCH", path, { metadata: { managedFields } });
  return status < 300;
}

/** Returns the object in an answer; undefined if the request failed. */
async function readObject(answer: ReturnType<World["ask"]>): Promise<KubernetesObject | undefined> {
  const { status, body } = await answer;
  return status < 300 ? (JSON.parse(body.toString()) as KubernetesObject) : undefined;
}

/** Returns the objects that the steps created, and did not just change or put back. */
function createdIn({ steps, objects = [] }: Scenario): Map<string, Ref> {
  const given = new Set(objects.map(refTextOf));
  const created = appliedIn(steps).filter((object) => !given.has(refTextOf(object)));
  return new Map(created.map((object) => [refTextOf(object), refOf(object)]));
}

/** Returns the object with the shortest name, which others may begin with, of the kinds that there are several objects of. */
function shortestOfSeveral(refs: readonly Ref[]): Ref | undefined {
  const alike = refs.filter(({ apiVersion, kind }, at) =>
    refs.some((other, otherAt) => otherAt !== at && other.kind === kind && other.apiVersion === apiVersion),
  );
  return alike.toSorted((a, b) => a.name.length - b.name.length)[0];
}

function deletionOf(target: Ref): Step {
  return { do: "delete", target, after: 10 };
}

const nothing = async (): Promise<void> => {};

/**
 * Returns the objects that should be gone after the deletion: objects that the steps applied, and objects that processes
 * created. An object whose owner may stay isn't left over.
 */
function findLeftovers(world: World, scenario: Scenario, { objects }: State): State["objects"] {
  const { mayStay = () => false } = scenario;
  const applied = createdIn(scenario);
  const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
  const isLeft = (object: KubernetesObject, below: readonly string[] = []): boolean => {
    const { uid = "", ownerReferences = [] } = object.metadata;
    if (applied.has(refTextOf(object)) || below.includes(uid)) return true;
    if (!world.isProcess(world.creators.get(uid) ?? "")) return false;
    const owners = ownerReferences.flatMap((owner) => byUid.get(owner.uid) ?? []);
    return owners.every((owner) => isLeft(owner, [...below, uid]));
  };
  return objects.filter((object) => isLeft(object) && !mayStay(object));
}

/** Milliseconds between two looks of an autoscaler, as in a real cluster. */
const autoscalerPeriod = 15_000;

interface Autoscaler extends KubernetesObject {
  readonly spec: {
    readonly minReplicas?: number;
    readonly scaleTargetRef: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
  };
}

/**
 * Runs the controller of HorizontalPodAutoscalers in a world without load: every target gets the fewest replicas that its
 * autoscaler allows. The number doesn't depend on the one before, and an operator that sets it, too, is seen to fight.
 */
function startAutoscaler(world: World): void {
  const { store } = world.cluster.core;
  const autoscalers = store.collection("horizontalpodautoscalers.autoscaling");
  let isPlanned = false;
  store.listen(() => {
    if (isPlanned || autoscalers.size === 0) return;
    isPlanned = true;
    world.loop.after(autoscalerPeriod, () => {
      isPlanned = false;
      for (const { object } of autoscalers.list())
        void world.loop.hold(scale(world, object as unknown as Autoscaler));
    });
  });
}

/** Scales a target. As in a real cluster, one without the subresource, or scaled to zero, is left alone. */
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
  await world.ask("autoscaler", "PATCH", path, merge);
}
