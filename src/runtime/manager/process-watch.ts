import { hasSubscribers } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { url as inspectorUrl } from "node:inspector";
import type { EventLoopUtilization } from "node:perf_hooks";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { getHeapSpaceStatistics } from "node:v8";
import type { ObjectCache } from "../cache/cache.ts";
import type { MeasurableController } from "../controller/controller-spec.ts";
import type { Logger } from "../log/logger.ts";
import type { Service } from "../serve/http-listener.ts";
import { isObserved, publish, receiver, type SampleMessage } from "../tracing/channels.ts";

/** The inputs and outputs of a watchdog; times in milliseconds. */
interface LoopWatchdogOptions {
  readonly controllers: () => readonly MeasurableController[];
  readonly log: Logger;
  /** How long the loop may be blocked before it is reported; 0 for never. */
  readonly blockedAfter: number;
  readonly onBlocked: (milliseconds: number) => void;
  /** Default: the system's. */
  readonly readStarvedTime?: (() => number) | undefined;
}

/**
 * Reports when code blocked the event loop for so long that nothing else could run: no other reconcile, no probe, no
 * renewal of the lease. It uses the system time, like `workedSince`: blocked code can't be seen on a clock that a test
 * moves. A block can only be detected afterwards; the reconciles that ran in the meantime are the suspects. Time in which
 * the process got no processor is no block of theirs: it is logged, and not counted.
 */
export class LoopWatchdog implements Service {
  readonly #options: LoopWatchdogOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LoopWatchdogOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { blockedAfter, log, readStarvedTime = starvedTime } = this.#options;
    if (blockedAfter <= 0) return;
    const period = Math.max(10, blockedAfter / 4);
    let last = performance.now();
    let starved = readStarvedTime();
    this.#timer = setInterval(() => {
      const [now, starvedNow] = [performance.now(), readStarvedTime()];
      const late = now - last - period;
      const blocked = late - (starvedNow - starved);
      if (blocked >= blockedAfter) this.#report(blocked, last);
      else if (late >= blockedAfter)
        log.warn("The process got no processor: the machine is busy, or the container is throttled", {
          seconds: roundSeconds(late),
        });
      last = now;
      starved = starvedNow;
    }, period);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  #report(milliseconds: number, since: number): void {
    const { controllers, log, onBlocked } = this.#options;
    const reconciling = controllers().flatMap((controller) =>
      controller.workedSince(since).map((key) => `${controller.name} ${key}`),
    );
    onBlocked(milliseconds);
    log.warn(
      "The event loop was blocked: code computed for too long in one piece; await setImmediate() of node:timers/promises in it, or run it in a worker thread",
      {
        seconds: roundSeconds(milliseconds),
        reconciling,
      },
    );
  }
}

function roundSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

/** The parts of the manager that are sampled. */
interface SamplerParts {
  readonly controllers: () => readonly MeasurableController[];
  /** The caches of all clusters. */
  readonly caches: () => readonly ObjectCache[];
}

/** The least number of milliseconds between two samples. */
const samplePeriod = 1000;

/** Publishes samples of the process if something subscribed before the start. Uses system time, as the watchdog does. */
export class Sampler implements Service {
  readonly #parts: SamplerParts;
  readonly #keptHeap = new KeptHeap();
  #lastSample: SampleMessage | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SamplerParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    if (!isObserved("tsbuilder:sample")) return;
    // `Date` may be moved in dev, also before this process loads the runtime.
    const since = Math.round(performance.timeOrigin + performance.now());
    const period = hasSubscribers("tsbuilder:sample") ? loopPeriod : recordedLoopPeriod;
    const delay = new LoopDelay({ period });
    let due = performance.now();
    this.#timer = setInterval(() => {
      delay.tick();
      if (performance.now() < due) return;
      due = performance.now() + samplePeriod;
      this.#sample(since, delay);
    }, period);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  #sample(since: number, delay: LoopDelay): void {
    const { milliseconds: blocked, until } = delay.take();
    const { rss: resident, heapUsed: heap } = process.memoryUsage();
    this.#keptHeap.note(heap);
    const sample: SampleMessage = {
      since,
      controllers: this.#parts.controllers().map((controller) => ({
        controller: controller.name,
        ...controller.takePeak(),
        workers: controller.workers,
      })),
      ...countCached(this.#parts.caches()),
      blocked,
      blockedAgo: until === undefined ? undefined : Math.round(performance.now() - until),
      resident,
      heap,
      heapKept: this.#keptHeap.bytes,
    };
    if (!differs(this.#lastSample, sample)) return;
    this.#lastSample = sample;
    receiver?.sampled(sample);
    publish("tsbuilder:sample", () => sample);
  }
}

/** The least bytes by which a full garbage collection makes the old generation smaller. */
const leastCollected = 65_536;

/**
 * The heap in use after the last full garbage collection, when it held little garbage. Only a full collection makes the old generation
 * smaller; an observer of collections would take two percent of the processor time, because there are many small ones.
 */
class KeptHeap {
  bytes: number | undefined;
  #old = 0;

  note(heapUsed: number): void {
    const spaces = getHeapSpaceStatistics();
    const old = spaces.find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0;
    if (old < this.#old - leastCollected) this.bytes = heapUsed;
    this.#old = old;
  }
}

/** A sample is published if the longest block has changed by more than this many milliseconds. */
const leastBlockChange = 20;
const megabyte = 1024 * 1024;

/** Returns true if a sample differs enough from the one before: memory is never the same twice. */
export function differs(before: SampleMessage | undefined, after: SampleMessage): boolean {
  if (before === undefined) return true;
  const hasMoved = (bytes = 0, bytesBefore = 0): boolean =>
    Math.abs(bytes - bytesBefore) > Math.max(megabyte, bytesBefore / 20);
  return (
    Math.abs(after.blocked - before.blocked) > leastBlockChange ||
    hasMoved(after.resident, before.resident) ||
    hasMoved(after.heap, before.heap) ||
    hasMoved(after.heapKept, before.heapKept) ||
    JSON.stringify([after.controllers, after.cached]) !== JSON.stringify([before.controllers, before.cached])
  );
}

/** Counts the cached objects by kind, over all clusters. */
function countCached(caches: readonly ObjectCache[]): Pick<SampleMessage, "cached" | "cachedBytes"> {
  const cached: Record<string, number> = {};
  let cachedBytes = 0;
  for (const { kind, stats } of caches.flatMap(({ informers }) => informers)) {
    const name = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
    cached[name] = (cached[name] ?? 0) + stats.objects;
    cachedBytes += stats.bytes;
  }
  return { cached, cachedBytes };
}

/** The period of `tick`, in milliseconds. A measured block may be wrong by half of it. */
export const loopPeriod = 100;

/** The same if only a recorder gets the samples, which must cost nearly nothing. */
const recordedLoopPeriod = 1000;

/** The longest stretch during which the event loop was blocked. */
export interface LongestBlock {
  readonly milliseconds: number;
  /** When it was over, by `performance.now()`; undefined if there was none. */
  readonly until: number | undefined;
}

/**
 * A late tick may also mean that the machine was busy with other processes, which not every system reports. A delay of
 * this many milliseconds counts as a block without further evidence. A shorter one counts only as far as this process
 * used the processor, and so does every delay while a debugger may be attached: its pauses use no processor time.
 */
const certainBlock = 1000;
const noBlock: LongestBlock = { milliseconds: 0, until: undefined };

interface LoopDelayOptions {
  readonly period?: number;
  readonly readStarvedTime?: () => number;
}

/** Measures how long the event loop is blocked, if `tick` is called once in each period. */
export class LoopDelay {
  #last = performance.now();
  #utilization: EventLoopUtilization = performance.eventLoopUtilization();
  #cpuUsage = process.cpuUsage();
  readonly #period: number;
  readonly #readStarvedTime: () => number;
  #starved: number;
  #longest = noBlock;

  constructor({ period = loopPeriod, readStarvedTime = starvedTime }: LoopDelayOptions = {}) {
    this.#period = period;
    this.#readStarvedTime = readStarvedTime;
    this.#starved = readStarvedTime();
  }

  tick(): void {
    const now = performance.now();
    const utilization = performance.eventLoopUtilization();
    const cpuUsage = process.cpuUsage();
    const starved = this.#readStarvedTime();
    const late = now - this.#last - this.#period;
    // A block begins somewhere in a period: on average, half of the period belongs to it.
    const lost = late > this.#period / 2 ? late + this.#period / 2 : late;
    const blocked = Math.min(lost, utilization.active - this.#utilization.active) - (starved - this.#starved);
    const processorTime =
      (cpuUsage.user + cpuUsage.system - this.#cpuUsage.user - this.#cpuUsage.system) / 1000;
    const isCertain = blocked >= certainBlock && inspectorUrl() === undefined;
    const milliseconds = Math.round(isCertain ? blocked : Math.min(blocked, processorTime));
    if (milliseconds > this.#longest.milliseconds) this.#longest = { milliseconds, until: now };
    this.#last = now;
    this.#utilization = utilization;
    this.#cpuUsage = cpuUsage;
    this.#starved = starved;
  }

  /** Returns the longest block since the last call. */
  take(): LongestBlock {
    const longest = this.#longest;
    this.#longest = noBlock;
    return longest;
  }
}

/** The milliseconds for which other processes ran although this one was ready; 0 outside of Linux. */
function starvedTime(): number {
  try {
    const [, waited] = readFileSync("/proc/self/schedstat", "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}
