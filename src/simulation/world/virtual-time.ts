import { type Clock, FakeClock, type Participant, type TimerPurpose } from "@tsbuilder/apimachinery/time";
import { inContext } from "../globals/environment.ts";

/** The date at which a simulation of code in this process starts. */
const usualStart = Date.UTC(2030, 0, 1);

/** The turns at one moment after which the time moves on, as it does while code polls. */
const mostTurns = 100;

/** The milliseconds by which the time moves on when code polls and no timer is set. */
const idlePeriod = 1000;

/** The simulated event loop: one clock for all processes, and the callbacks that are due. Without either, nothing can happen. */
export class EventLoop {
  readonly clock: FakeClock;
  #ready: Array<() => void> = [];
  /**
   * The number of promises that hold the time: work that takes real time, such as loading a module, but no virtual time. Less than
   * none while a watch converts an object, whose request has been answered before.
   */
  #holds = 0;
  /** The number of messages between processes and servers that are under way. */
  messages = 0;

  constructor(start = usualStart) {
    this.clock = new FakeClock(start);
  }

  /** Runs a function in the next turn. */
  readonly enqueue = (run: () => void): void => void this.#ready.push(run);

  get now(): number {
    return this.clock.monotonic();
  }

  /** Runs a function after a while. Returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void {
    return this.clock.setTimer(run, milliseconds);
  }

  wait(milliseconds: number, purpose?: TimerPurpose): Promise<void> {
    return new Promise((resolve) => {
      this.clock.setTimer(resolve, milliseconds, purpose);
    });
  }

  /** Stops the time until a promise is settled. */
  hold<R>(work: Promise<R>): Promise<R> {
    this.#holds++;
    return work.finally(() => this.#holds--);
  }

  /** Lets the time pass until a promise is settled, within work that holds the time, or that did. */
  release<R>(work: Promise<R>): Promise<R> {
    this.#holds--;
    return work.finally(() => this.#holds++);
  }

  /** Runs everything that is due now: promises, and callbacks turn by turn. */
  async drain(): Promise<void> {
    for (let turns = 0; turns < mostTurns;) {
      await realTurn();
      const due = this.#ready;
      if (this.#holds <= 0) {
        if (due.length === 0) return;
        turns++;
      }
      this.#ready = [];
      for (const run of due) run();
    }
  }

  /** Milliseconds until the next work that was set for at least this long; undefined if there is none. */
  untilNextWork(shortest = 0): number | undefined {
    return this.#ready.length > 0 ? 0 : this.clock.untilNextWork(shortest);
  }

  /** Moves the clock to the next timer, and runs what it triggers. Returns false if there is none until the end. */
  async step(end = Infinity): Promise<boolean> {
    const next = this.clock.untilNextTimer ?? (this.#ready.length > 0 ? idlePeriod : undefined);
    if (next === undefined || this.now + next > end) return false;
    this.clock.advanceSync(next);
    await this.drain();
    return true;
  }
}

const { setImmediate: realImmediate } = globalThis;

/** Waits for a turn of Node's own loop, within which all promises that are ready run. */
function realTurn(): Promise<void> {
  return new Promise((resolve) => {
    realImmediate(resolve);
  });
}

/** The clock of one process. Its date may be wrong, and its timers end with the process. */
export class ProcessClock implements Clock {
  readonly #world: Clock;
  readonly #guard: (run: () => void) => () => void;
  readonly #timers = new Set<() => void>();
  #isStopped = false;
  /** The milliseconds by which its date is wrong. */
  offset: number;

  constructor(world: Clock, offset = 0, guard: (run: () => void) => () => void = (run) => run) {
    this.#world = world;
    this.offset = offset;
    this.#guard = guard;
  }

  now(): number {
    return this.#world.now() + this.offset;
  }

  monotonic(): number {
    return this.#world.monotonic();
  }

  setTimer(run: () => void, milliseconds: number, purpose?: TimerPurpose): () => void {
    if (this.#isStopped) return () => {};
    // A suspended process runs the callback later, and may cancel the timer until then.
    const fire = inContext(() => {
      if (this.#timers.delete(cancel)) run();
    });
    // As in Node, at least one millisecond: code that sets timers without end leaves time to others.
    const cancel = this.#world.setTimer(this.#guard(fire), Math.max(1, milliseconds), purpose);
    this.#timers.add(cancel);
    return () => {
      if (this.#timers.delete(cancel)) cancel();
    };
  }

  join(participant: Participant): () => void {
    return this.#world.join?.(participant) ?? (() => {});
  }

  /** Cancels all timers, for good. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
