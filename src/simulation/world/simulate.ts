import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import {
  type Check,
  type Limits,
  type Phase,
  readScenario,
  refOf,
  refText,
  type Run,
  type Scenario,
  type State,
  stateOf,
  type Step,
} from "../contract/index.ts";
import { environment, withVirtualGlobals } from "../globals/index.ts";
import { baseOf, pathOf } from "./base.ts";
import { managerOf } from "./network.ts";
import { scheduleFaults } from "./strike-faults.ts";
import { User } from "./user.ts";
import { World } from "./world.ts";

/**
 * Runs operators and their whole world in this process, under one clock and one seed: the same scenario gives the same
 * trace, on every machine. Idle time costs nothing. Once the steps are done and everything rests, all processes restart
 * (unless the scenario has faults), and everything that the steps created is deleted.
 */
export function simulate(scenario: Scenario): Promise<Run> {
  return runOf(scenario, { isWhole: true });
}

/** Runs a scenario until everything rests after its steps, without restart and deletion: enough to compare outcomes. */
export function outcomeOf(scenario: Scenario): Promise<Run> {
  return runOf(scenario, { isWhole: false });
}

interface Extent {
  /** The processes restart in the end, and everything that the steps created is deleted. */
  readonly isWhole: boolean;
}

async function runOf(scenario: Scenario, extent: Extent): Promise<Run> {
  if (environment()) throw new TypeError("a simulation can't run within another one");
  const read = readScenario(scenario);
  const base = await baseOf(read);
  return withVirtualGlobals(async () => {
    const world = new World(read, base, managerOf);
    await world.open(read);
    try {
      return await live(world, read, extent);
    } finally {
      await world.close();
    }
  });
}

/** Lives through the phases of a run, and collects its record. */
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

/** Everything rests after this many milliseconds without a change, an attempt to change something, and an error. */
const quiet = 60_000;

/** Milliseconds between two looks of a user who waits for rest. */
const glance = 1000;

const defaults: Required<Limits> = { time: 1_800_000, changes: 2500, changesOfObject: 250 };

/** Decides whether the operators rest, or never will. */
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

  /** The processes have changed more objects than any way to the desired state takes, or for too long. */
  get isHopeless(): boolean {
    const { loop, changes } = this.#world;
    const { time, changes: most, changesOfObject } = this.#limits;
    return loop.now - this.#start > time || changes.all > most || changes.ofOneObject > changesOfObject;
  }
}

/**
 * Moves the time until the operators rest. Returns false if they never do. As long as `isBusy`, the user still acts, and
 * rest doesn't count.
 */
async function settle(world: World, limits?: Limits, isBusy = (): boolean => false): Promise<boolean> {
  while (isBusy()) if (!(await world.loop.step())) return true;
  const rest = new Rest(world, limits);
  for (;;) {
    if (rest.isReached) return true;
    if (rest.isHopeless) return false;
    if (!(await world.loop.step())) return true;
  }
}

/** Lets a user wait until the operators rest, or until it is clear that they never will. */
async function lookOn(world: World, limits?: Limits): Promise<void> {
  const rest = new Rest(world, limits);
  while (!rest.isReached && !rest.isHopeless) await world.wait(glance);
}

/** Checks the user's promises after each change, and in the end. Each broken one is recorded once. */
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

/** Returns the steps that delete everything that the given steps applied, in reverse order. */
function deletions(steps: readonly Step[]): Step[] {
  const refs = new Map(
    steps.flatMap((step) =>
      step.do === "apply" ? [[refText(refOf(step.object)), refOf(step.object)] as const] : [],
    ),
  );
  return [...refs.values()].toReversed().map((target) => ({ do: "delete", target, after: 10 }));
}

/**
 * Returns the objects that should be gone after the deletion: objects that the steps applied, and objects that processes
 * created. An object whose owner may stay isn't left over.
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

/** Milliseconds between two looks of an autoscaler, as in a real cluster. */
const period = 15_000;

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
    world.loop.after(period, () => {
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
  await world.ask("autoscaler", "PATCH", path, merge, "application/merge-patch+json");
}
