import { type EventLoopUtilization, performance } from "node:perf_hooks";

/** How precisely it measures, in milliseconds. */
export const loopPeriod = 50;

/** The longest stretch during which the event loop was blocked. */
export interface LongestBlock {
  readonly milliseconds: number;
  /** When it was over, in milliseconds since 1970; undefined if there was none. */
  readonly until: number | undefined;
}

const none: LongestBlock = { milliseconds: 0, until: undefined };

/** Measures how long the event loop is blocked, if `tick` is called once in each period. */
export class LoopDelay {
  #last = performance.now();
  #used: EventLoopUtilization = performance.eventLoopUtilization();
  #longest = none;

  tick(): void {
    const now = performance.now();
    const used = performance.eventLoopUtilization();
    const late = now - this.#last - loopPeriod;
    // A machine that is busy with other things has a loop late, too, that had nothing to do.
    const milliseconds = Math.round(Math.min(late, used.active - this.#used.active));
    if (milliseconds > this.#longest.milliseconds) this.#longest = { milliseconds, until: Date.now() };
    this.#last = now;
    this.#used = used;
  }

  /** The longest one since this was called before. */
  take(): LongestBlock {
    const longest = this.#longest;
    this.#longest = none;
    return longest;
  }
}
