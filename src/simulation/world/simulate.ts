import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Phase, Run, Scenario, State, Step } from "../contract/index.ts";
import { readScenario, refOf, refText, stateOf } from "../contract/index.ts";
import { environment, withVirtualGlobals } from "../globals/index.ts";
import { startAutoscaler } from "./autoscaler.ts";
import { baseOf } from "./base.ts";
import { watchPromises } from "./promises.ts";
import { lookOn, settle } from "./settle.ts";
import { scheduleFaults } from "./strike.ts";
import { User } from "./user.ts";
import { World } from "./world.ts";

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
