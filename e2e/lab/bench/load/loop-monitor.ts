import { monitorEventLoopDelay, performance, PerformanceObserver } from "node:perf_hooks";

/** How long the event loop of a process stopped at most, in milliseconds. */
export interface LoopStops {
  readonly longest: number;
  readonly p99: number;
  /** The processor time of the process in the longest turn: the rest is other programs on the same processors. */
  readonly worked: number;
  /** The longest pause of the garbage collector. */
  readonly collected: number;
}

/**
 * Loaded into the process that is measured, by `--import`. It begins anew with each message of the parent, and answers with
 * what was measured since the last one.
 */
if (process.send) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  let worked = 0;
  let last = { at: performance.now(), processor: process.cpuUsage() };
  setInterval(() => {
    const { user, system } = process.cpuUsage(last.processor);
    const at = performance.now();
    // Other threads work at the same time, so the processor time may be more than the time.
    worked = Math.max(worked, Math.min((user + system) / 1000, at - last.at));
    last = { at, processor: process.cpuUsage() };
  }, 1).unref();
  let collected = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collected = Math.max(collected, duration);
  }).observe({ entryTypes: ["gc"] });
  process.on("message", () => {
    const stops: LoopStops = {
      longest: delays.max / 1e6,
      p99: delays.percentile(99) / 1e6,
      worked,
      collected,
    };
    delays.reset();
    worked = 0;
    collected = 0;
    process.send!(stops);
  });
  // Being measured keeps no process alive.
  process.channel?.unref();
}
