import type { Clock } from "../clock/clock.ts";

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
  #now: number;
  readonly #start: number;
  #next = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();

  /** Starts at a moment, a fixed one unless given, so that tests see the same dates each time. */
  constructor(start: Date | number = Date.UTC(2024, 0, 1)) {
    this.#start = Number(start);
    this.#now = this.#start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  setTimer(run: () => void, milliseconds: number): () => void {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#now + Math.max(0, milliseconds), run });
    return () => this.#timers.delete(id);
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#timers.size;
  }

  /**
   * Moves time on. Timers run at their moments, in order, and what they set off by promises is done before the next one
   * runs.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (let due = this.#due(end); due; due = this.#due(end)) {
      const [id, { at, run }] = due;
      this.#timers.delete(id);
      this.#now = at;
      run();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #due(end: number): [number, { readonly at: number; readonly run: () => void }] | undefined {
    return [...this.#timers]
      .filter(([, { at }]) => at <= end)
      .sort(([idA, a], [idB, b]) => a.at - b.at || idA - idB)[0];
  }
}

/** Lets promises run that are ready; two turns of the event loop are enough for chains that wait for nothing else. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
