import { setImmediate } from "node:timers";
import { setImmediate as nextTurn } from "node:timers/promises";

/** How long one request may work before others get their turn. */
const sliceMilliseconds = 5;

/** Returns undefined while the slice of a computation lasts, and then a promise to await. */
export type Pause = () => Promise<void> | undefined;

/**
 * Time slices for the long computations of a cluster, such as lists of thousands of objects. In each turn of the event
 * loop only one computation continues, so that short requests don't wait for many lists. Each cluster has its own: the
 * event loop of a simulation may end in the middle of a list, and the computations of other clusters must continue.
 */
export class TimeSlices {
  readonly #now: () => number;
  /** The computations whose slice is over, in the order in which they continue. */
  readonly #waiting: Array<() => void> = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Begins a computation, which must call the returned function after each step. */
  begin(): Pause {
    const end = (): number => this.#now() + sliceMilliseconds;
    let until = end();
    return () => {
      if (this.#now() < until) return undefined;
      return new Promise((resolve) => {
        this.#waiting.push(() => {
          until = end();
          resolve();
        });
        if (this.#waiting.length === 1) setImmediate(() => this.#continueNext());
      });
    };
  }

  #continueNext(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#continueNext());
  }
}

/**
 * Returns a function to await after each of many writes in a row: every hundredth call lets other requests and watchers
 * run. Otherwise, emptying a large namespace would block the server.
 */
export function pauseRegularly(): () => Promise<void> {
  let writes = 0;
  return async () => {
    writes++;
    if (writes % 100 === 0) await nextTurn();
  };
}
