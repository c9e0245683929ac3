import type { Clock, Participant, TimerPurpose } from "./clock.ts";

/** A timer; `at` is the elapsed time at which it fires, and `due` that at which it should have, if that was skipped. */
interface Timer {
  at: number;
  due: number;
  /** The milliseconds for which it was set. */
  readonly duration: number;
  readonly purpose: TimerPurpose;
  readonly run: () => void;
}

/**
 * A clock for tests: it stands still until the test moves it. A cluster, a manager and a test can share one. It waits
 * for its participants (`join`) before it moves on.
 */
export class FakeClock implements Clock {
  readonly #start: number;
  /** Kept apart from the date, which is too large a number to add fractions of a millisecond to. */
  #elapsed = 0;
  /** In the order in which they were set. */
  readonly #timers = new Set<Timer>();
  readonly #participants = new Set<Participant>();

  /** Starts at the given time. The default is a fixed date, so that every run of a test sees the same times. */
  constructor(start: Date | number = Date.UTC(2024, 0, 1)) {
    this.#start = Number(start);
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimer(run: () => void, milliseconds: number, purpose: TimerPurpose = "work"): () => void {
    const duration = Math.max(0, milliseconds);
    const at = this.#elapsed + duration;
    const timer = { at, due: at, duration, purpose, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  join(participant: Participant): () => void {
    this.#participants.add(participant);
    return () => void this.#participants.delete(participant);
  }

  /** True while a participant has work in progress. */
  get isWorking(): boolean {
    return [...this.#participants].some((participant) => participant() !== undefined);
  }

  /** The number of timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer fires, or undefined when none is set. */
  get untilNextTimer(): number | undefined {
    const next = this.#findEarliest(Infinity);
    return next && next.at - this.#elapsed;
  }

  /** Milliseconds until the next timer for work that was set for at least this long, or undefined when none is set. */
  untilNextWork(shortest = 0): number | undefined {
    let next: number | undefined;
    for (const { at, duration, purpose } of this.#timers)
      if (purpose === "work" && duration >= shortest && (next === undefined || at < next)) next = at;
    return next && next - this.#elapsed;
  }

  /**
   * Lets time pass in which nothing runs, as on a machine that sleeps: work that was due meanwhile is due at the end, in the
   * same order, and upkeep is postponed by as much. Idle months cost nothing that way.
   */
  skip(milliseconds: number): void {
    this.#elapsed += milliseconds;
    for (const timer of this.#timers) {
      if (timer.purpose === "upkeep") timer.due = timer.at += milliseconds;
      else timer.at = Math.max(timer.at, this.#elapsed);
    }
  }

  /**
   * Moves the time forward. Timers fire in order. Before the next one fires, promises that are ready run, and the work
   * of all participants completes.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds;
    await this.#settle();
    while (this.#fireNext(end)) await this.#settle();
    this.#elapsed = end;
    await this.#settle();
  }

  /** Moves the time forward and fires the timers that are due, without letting promises run. */
  advanceSync(milliseconds: number): void {
    const end = this.#elapsed + milliseconds;
    while (this.#fireNext(end));
    this.#elapsed = end;
  }

  async #settle(): Promise<void> {
    for (;;) {
      await runReadyPromises();
      const working = [...this.#participants].flatMap((participant) => participant() ?? []);
      if (working.length === 0) return;
      await Promise.all(working);
    }
  }

  /** Fires the next timer that is due by then; returns false if there is none. */
  #fireNext(end: number): boolean {
    const timer = this.#findEarliest(end);
    if (!timer) return false;
    this.#timers.delete(timer);
    this.#elapsed = timer.at;
    timer.run();
    return true;
  }

  #findEarliest(end: number): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= end && (!earliest || comesBefore(timer, earliest))) earliest = timer;
    }
    return earliest;
  }
}

function comesBefore(timer: Timer, other: Timer): boolean {
  return timer.at < other.at || (timer.at === other.at && timer.due < other.due);
}

/** Runs promises that are ready. Two turns of the event loop are enough for chains that wait for nothing else. */
async function runReadyPromises(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
