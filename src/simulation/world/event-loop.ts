import { FakeClock } from "@tsbuilder/apimachinery/time";

const { setImmediate: realImmediate } = globalThis;

/** The date at which every simulation starts. */
const start = Date.UTC(2030, 0, 1);

/** After so many turns at one moment the time moves on, as it does while code polls. */
const mostTurns = 100;

/** If code polls for what no timer brings, the time moves on by this much. */
const idlePeriod = 1000;

/**
 * The simulated event loop: one clock for all processes, and the callbacks that are due now. When both are exhausted,
 * nothing can happen any more.
 */
export class EventLoop {
  readonly clock = new FakeClock(start);
  #ready: Array<() => void> = [];
  /** Work that takes real time, such as loading a module, but no virtual time. */
  #working = 0;

  /** Runs a function in the next turn. */
  readonly enqueue = (run: () => void): void => void this.#ready.push(run);

  get now(): number {
    return this.clock.monotonic();
  }

  /** Runs a function after a while. Returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void {
    return this.clock.setTimer(run, milliseconds);
  }

  /** Keeps the time where it is until a promise is settled. */
  hold<R>(work: Promise<R>): Promise<R> {
    this.#working++;
    return work.finally(() => this.#working--);
  }

  /** Lets the time pass until a promise is settled, within work that holds it. */
  release<R>(work: Promise<R>): Promise<R> {
    this.#working--;
    return work.finally(() => this.#working++);
  }

  /** Runs everything that is due now: promises, and callbacks turn by turn. */
  async drain(): Promise<void> {
    for (let turns = 0; turns < mostTurns;) {
      await realTurn();
      const due = this.#ready;
      if (this.#working === 0) {
        if (due.length === 0) return;
        turns++;
      }
      this.#ready = [];
      for (const run of due) run();
    }
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

/** Node runs all promises that are ready before it returns from a turn of its own loop. */
function realTurn(): Promise<void> {
  return new Promise((resolve) => {
    realImmediate(resolve);
  });
}
