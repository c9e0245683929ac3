import { url as inspectorUrl } from "node:inspector";
import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { readFileSync } from "node:fs";

/** How often it looks, in milliseconds. What it measures may be wrong by half of it. */
export const loopPeriod = 100;

/**
 * A loop is late also if the machine is busy with other things, which not each system tells. For so many milliseconds it
 * hardly is; what blocks for a shorter time is told by the processor time that it takes. So is all that blocks while a
 * debugger may be attached, whose pauses take none.
 */
const surelyBlocked = 1000;

/** The longest stretch during which the event loop was blocked. */
export interface LongestBlock {
  readonly milliseconds: number;
  /** When it was over, by `performance.now()`; undefined if there was none. */
  readonly until: number | undefined;
}

const none: LongestBlock = { milliseconds: 0, until: undefined };

/** Measures how long the event loop is blocked, if `tick` is called once in each period. */
export class LoopDelay {
  #last = performance.now();
  #used: EventLoopUtilization = performance.eventLoopUtilization();
  #computed = process.cpuUsage();
  readonly #starvedTime: () => number;
  #starved: number;
  #longest = none;

  constructor(readStarvedTime: () => number = starvedTime) {
    this.#starvedTime = readStarvedTime;
    this.#starved = readStarvedTime();
  }

  tick(): void {
    const now = performance.now();
    const used = performance.eventLoopUtilization();
    const computed = process.cpuUsage();
    const starved = this.#starvedTime();
    const late = now - this.#last - loopPeriod;
    // A block begins somewhere in a period.
    const lost = late > loopPeriod / 2 ? late + loopPeriod / 2 : late;
    const blocked = Math.min(lost, used.active - this.#used.active) - (starved - this.#starved);
    const own = (computed.user + computed.system - this.#computed.user - this.#computed.system) / 1000;
    const isSure = blocked >= surelyBlocked && inspectorUrl() === undefined;
    const milliseconds = Math.round(isSure ? blocked : Math.min(blocked, own));
    if (milliseconds > this.#longest.milliseconds) this.#longest = { milliseconds, until: now };
    this.#last = now;
    this.#used = used;
    this.#computed = computed;
    this.#starved = starved;
  }

  /** The longest one since this was called before. */
  take(): LongestBlock {
    const longest = this.#longest;
    this.#longest = none;
    return longest;
  }
}

/**
 * For how many milliseconds this process could have run, but others did; 0 where the system doesn't tell, as outside of
 * Linux.
 */
function starvedTime(): number {
  try {
    const [, waited] = readFileSync("/proc/self/schedstat", "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}
