import type { Limits } from "../contract/index.ts";
import { shortestPause } from "../contract/run.ts";
import { isElected } from "../contract/scenario.ts";
import { PacedLoop } from "./paced-loop.ts";
import type { World } from "./world.ts";

// A world rests when its operators have reached what they want: nothing is under way, and what is due later doesn't lead
// further. Idle time is skipped, from one thing that is due to the next.

/** How far to look for what is due by itself: requeues, timers of operators, schedules of the cluster. */
export interface Outlook {
  /** Real milliseconds that operators with processes of their own get besides, for what their own clocks make due. At most the limit. */
  readonly patience: number;
  readonly milliseconds: number;
  /** The time counts since the last progress, the last change, or the beginning: then it passes to its end. */
  readonly since: "progress" | "change" | "beginning";
  /** The times that due work may change what has changed before until all that follows is taken for the same. */
  readonly repetitions: number;
}

/** Only what needs no wait: enough to see what a restart leads to. */
export const atOnce: Outlook = { patience: 500, milliseconds: 0, since: "progress", repetitions: 0 };

/** Enough for orders that take minutes, and for retries: what they lead to belongs to the outcome. */
export const soon: Outlook = { patience: 1000, milliseconds: 3_600_000, since: "progress", repetitions: 40 };

/** What changes between `soon` and this depends on how long one waits. A rollout may pause for an hour at each of its steps. */
export const later: Outlook = {
  patience: Infinity,
  milliseconds: 2 * soon.milliseconds,
  since: "change",
  repetitions: 2 * soon.repetitions,
};

/**
 * A hundred days: enough for the renewal of certificates, and for rotations. They end some hours later, or what is due every five
 * or every twenty days would be due during the restart that follows.
 */
export const months: Outlook = {
  patience: 0,
  milliseconds: 100 * 86_400_000 + 19_043_000,
  since: "beginning",
  repetitions: 2,
};

/** Nothing is under way after this many milliseconds without a change, an attempt to change something, and an error. */
const quietTime = 60_000;

/** With leases, whose renewals don't let time be skipped: milliseconds without progress after which an operator rests. */
const patience = 600_000;

/** Timers for longer than this are none of a lease. */
const longestLeaseTimer = 10_000;

/** The number of times that due work may change nothing, as a poll does, until more and more of it is skipped. */
const exactWakes = 5;

/** From then on, the skipped part of the time that has passed without a change. Who renews after two thirds, renews in time. */
const skippedPart = 0.4;

/** The number of times that due work may change nothing until it counts as rest. */
const mostWakes = 200;

const defaultLimits: Required<Limits> = {
  time: 1_800_000,
  patience: 12_000,
  changes: 2500,
  changesOfObject: 250,
};

/** Moves the time until the operators rest; false if they never do. While `isBusy`, the user acts, and rest doesn't count. */
export async function untilRest(
  world: World,
  outlook: Outlook,
  limits?: Limits,
  isBusy: () => boolean = () => false,
): Promise<boolean> {
  while (isBusy()) if (!(await world.loop.step())) return true;
  const rest = new Rest(world, outlook, limits);
  do {
    while (!rest.isReached()) {
      if (rest.isHopeless) return false;
      if (!(await world.loop.step())) break;
    }
  } while (await goesOn(world, Math.min(outlook.patience, { ...defaultLimits, ...limits }.patience)));
  return true;
}

/** Gives operators with processes of their own some real time. Returns true as soon as one attempts to change something. */
async function goesOn(world: World, patience: number): Promise<boolean> {
  const { loop, lastEffort } = world;
  return loop instanceof PacedLoop && loop.paceUntil(() => world.lastEffort > lastEffort, patience);
}

/** Decides whether the operators rest, or never will. */
export class Rest {
  readonly #world: World;
  readonly #outlook: Outlook;
  readonly #limits: Required<Limits>;
  readonly #start: number;
  /** The time of the last change that was not a repetition. */
  #progress: number;
  /** The time of the last change. */
  #change: number;
  #lastLook: number;
  #lastSkip: number;
  /** The times that due work came since then and repeated itself, and those since the last change at which it changed nothing. */
  #repetitions = 0;
  #wakes = 0;
  /** The objects that were changed. The same ones again are a repetition, and no progress. */
  readonly #changed = new Set<string>();

  constructor(world: World, outlook: Outlook, limits: Limits = {}) {
    this.#world = world;
    this.#outlook = outlook;
    this.#limits = { ...defaultLimits, ...limits };
    const { now } = world.loop;
    this.#start = now;
    this.#progress = now;
    this.#change = now;
    this.#lastLook = now;
    this.#lastSkip = now;
    world.lastEffort = now;
    world.changes.clear();
  }

  /** Returns whether the operators rest. If not, and nothing is under way, skips the time until more is due. */
  isReached(): boolean {
    const { loop, replicas, recorder, lastEffort } = this.#world;
    if (loop.clock.isWorking || !replicas.every(({ isIdle }) => isIdle)) return false;
    const { now } = loop;
    const effort = Math.max(lastEffort, recorder.lastError);
    const next = loop.untilNextWork() ?? Infinity;
    if (Math.max(now - effort, next) < shortestPause) return false;
    if (effort > this.#lastLook) this.#noteProgress();
    // Operators follow pods also if these change as they have changed before.
    if (this.#world.kubelets.troubledUntil > this.#progress) this.#restart();
    this.#lastLook = now;
    // Leases would run out while time is skipped.
    if (replicas.some(({ operator }) => isElected(operator) || operator.sharding))
      return this.#isPatienceOver(now - effort);
    const quiet = now - Math.max(effort, this.#lastSkip);
    // After a skip, what was due has less time to show that it changes something: it mostly is a poll.
    if (next < shortestPause && quiet < (this.#wakes > 0 ? shortestPause : quietTime)) return false;
    // A skip would delay messages. They may be under way all the time, though.
    if (loop.messages > 0 && quiet < 2 * quietTime) return false;
    return !this.#skipToNextWork(next);
  }

  /** Nothing has happened for long, and nothing is due before the end of the patience. */
  #isPatienceOver(quiet: number): boolean {
    const { loop } = this.#world;
    const idle = loop.now - this.#progress;
    if (quiet < quietTime) return idle >= patience;
    const next = loop.untilNextWork(longestLeaseTimer + 1) ?? Infinity;
    return next > Math.min(patience, this.#outlook.milliseconds) - idle;
  }

  #noteProgress(): void {
    const recent = this.#world.changes.takeRecent();
    if (recent.size === 0) return;
    // What was begun may have to be done in time.
    this.#wakes = 0;
    this.#change = this.#world.loop.now;
    this.#repetitions++;
    if ([...recent].every((object) => this.#changed.has(object))) return;
    for (const object of recent) this.#changed.add(object);
    this.#restart();
  }

  /** Gives the operators as much time as after the last progress. */
  #restart(): void {
    this.#progress = this.#world.loop.now;
    this.#repetitions = 0;
    this.#wakes = 0;
  }

  /** Skips the time until the next work is due. Returns false if there is none within the outlook. */
  #skipToNextWork(next: number): boolean {
    const { loop } = this.#world;
    const { milliseconds, since, repetitions } = this.#outlook;
    const change = Math.max(this.#change, this.#progress);
    const left =
      milliseconds - (loop.now - { progress: this.#progress, change, beginning: this.#start }[since]);
    if (left <= 0 || this.#repetitions > repetitions || this.#wakes++ > mostWakes) return false;
    const stride = this.#wakes > exactWakes ? (loop.now - this.#change) * skippedPart : 0;
    const wait = Math.min(Math.max(next, stride), loop.untilNextWork(stride) ?? Infinity);
    if (next > left && since !== "beginning") return false;
    loop.clock.skip(Math.min(wait, left));
    this.#lastSkip = loop.now;
    this.#world.onEffect?.();
    return true;
  }

  /** The processes have changed more objects than any way to the desired state takes, or for too long. */
  get isHopeless(): boolean {
    const { loop, changes } = this.#world;
    const { time, changes: mostChanges, changesOfObject } = this.#limits;
    return (
      loop.now - this.#lastSkip > time || changes.all > mostChanges || changes.ofOneObject > changesOfObject
    );
  }
}

/** Lets operators with processes of their own have some real time, while others move the time. Returns true if one goes on. */
async function stirs(world: World): Promise<boolean> {
  const { activity, lastEffort } = world;
  if (!activity) return false;
  await activity.hold(soon.patience);
  return world.lastEffort > lastEffort;
}

/** Milliseconds between two looks of a user who waits for rest. */
const lookInterval = 1000;

/** Lets a user wait until the operators rest, or until it is clear that they never will. */
export async function waitForRest(world: World, limits?: Limits): Promise<void> {
  const rest = new Rest(world, soon, limits);
  do {
    while (!rest.isReached() && !rest.isHopeless) await world.loop.wait(lookInterval, "upkeep");
  } while (!rest.isHopeless && (await stirs(world)));
}
