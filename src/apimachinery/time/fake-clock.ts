import type { Clock, Participant } from "./clock.ts";

/** A timer; `at` is the elapsed time at which it fires. */
interface Timer {
  readonly at: number;
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

  setTimer(run: () => void, milliseconds: number): () => void {
    const timer = { at: this.#elapsed + Math.max(0, milliseconds), run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  join(participant: Participant): () => void {
    this.#participants.add(participant);
    return () => void this.#participants.delete(participant);
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
      if (timer.at <= end && (!earliest || timer.at < earliest.at)) earliest = timer;
    }
    return earliest;
  }
}

/** Runs promises that are ready. Two turns of the event loop are enough for chains that wait for nothing else. */
async function runReadyPromises(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
