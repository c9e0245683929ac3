import type { Limits } from "../contract/index.ts";
import type { World } from "./world.ts";

/** Without a change by a process or a user for this long, or the attempt, and without work, everything has come to rest. */
const quiet = 60_000;

/** How long the user looks away. */
const glance = 1000;

const defaults: Required<Limits> = { time: 1_800_000, changes: 2500, changesOfObject: 250 };

/** Whether the operators rest, or never will. */
export class Rest {
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
export async function settle(world: World, limits?: Limits, isBusy = (): boolean => false): Promise<boolean> {
  while (isBusy()) if (!(await world.loop.step())) return true;
  const rest = new Rest(world, limits);
  for (;;) {
    if (rest.isReached) return true;
    if (rest.isHopeless) return false;
    if (!(await world.loop.step())) return true;
  }
}

/** A user waits until the operators rest, or until it is clear that they never will. */
export async function lookOn(world: World, limits?: Limits): Promise<void> {
  const rest = new Rest(world, limits);
  while (!rest.isReached && !rest.isHopeless) await world.wait(glance);
}
