import type { Run, Scenario } from "../contract/index.ts";
import { stateOf } from "../contract/index.ts";
import { surroundings, withVirtualGlobals } from "../globals/index.ts";
import { baseOf } from "./base.ts";
import { scheduleFaults } from "./strike.ts";
import { settle } from "./settle.ts";
import { User } from "./user.ts";
import { World } from "./world.ts";

/**
 * Runs operators and their whole world in this process, under one clock and one seed: the same scenario gives the same
 * trace, on every machine. Idle time costs nothing.
 */
export async function simulate(scenario: Scenario): Promise<Run> {
  if (surroundings()) throw new TypeError("a simulation can't run within another one");
  const base = await baseOf(scenario);
  return withVirtualGlobals(async () => {
    const world = new World(scenario, base);
    await world.open(scenario);
    try {
      return await live(world, scenario);
    } finally {
      await world.close();
    }
  });
}

async function live(world: World, { steps = [], seed = 1 }: Scenario): Promise<Run> {
  const { loop, recorder, replicas } = world;
  const start = world.random.fork("start");
  for (const replica of replicas) loop.after(start.next() * 200, () => replica.start());
  scheduleFaults(world);
  let isBusy = true;
  let failure: unknown;
  const user = new User(world, async () => await world.wait(30_000));
  const taking = world.as("user", () => user.take(steps));
  taking.catch((error: unknown) => (failure = error)).finally(() => (isBusy = false));
  await loop.drain();
  await settle(world, () => isBusy || loop.now < world.faults.end);
  if (failure) throw failure;
  const state = stateOf(world.objects());
  return {
    seed,
    trace: recorder.trace,
    state,
    leftovers: [],
    rejected: user.rejected,
    writes: Object.fromEntries(replicas.map(({ name, writes }) => [name, writes])),
    requests: Object.fromEntries(replicas.map(({ name, requests }) => [name, requests])),
    duration: loop.now,
    verdicts: [],
  };
}
