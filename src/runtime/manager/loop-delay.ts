import { type EventLoopUtilization, performance } from "node:perf_hooks";

/** How precisely it measures, in milliseconds. */
export const loopPeriod = 50;

/**
 * A loop is late also if the machine is busy with other things. For so many milliseconds it hardly is; what blocks for a
 * shorter time is told by the processor time that it takes.
 */
const surelyBlocked = 1000;

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
  #computed = process.cpuUsage();
  #longest = none;

  tick(): void {
    const now = performance.now();
    const used = performance.eventLoopUtilization();
    const computed = process.cpuUsage();
    const late = Math.min(now - this.#last - loopPeriod, used.active - this.#used.active);
    const own = (computed.user + computed.system - this.#computed.user - this.#computed.system) / 1000;
    const milliseconds = Math.round(late < surelyBlocked ? Math.min(late, own) : late);
    if (milliseconds > this.#longest.milliseconds) this.#longest = { milliseconds, until: Date.now() };
    this.#last = now;
    this.#used = used;
    this.#computed = computed;
  }

  /** The longest one since this was called before. */
  take(): LongestBlock {
    const longest = this.#longest;
    this.#longest = none;
    return longest;
  }
}
