import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { url as inspectorUrl } from "node:inspector";
import type { EventLoopUtilization, PerformanceEntry } from "node:perf_hooks";
import { constants, performance, PerformanceObserver } from "node:perf_hooks";
import process from "node:process";
import { getHeapStatistics } from "node:v8";
import type { Cache } from "../cache/cache.ts";
import type { MeasurableController } from "../controller/controller-spec.ts";
import type { Logger } from "../log/logger.ts";
import type { MemoryLimits } from "../metrics/runtime-metrics.ts";
import type { Service } from "../serve/http-listener.ts";
import { type ControllerSample, isObserved, publish, type SampleMessage } from "../tracing/channels.ts";

/** The inputs and outputs of a watchdog; times in milliseconds. */
interface LoopWatchdogOptions {
  readonly controllers: () => readonly MeasurableController[];
  readonly log: Logger;
  /** How long the loop may be blocked before it is reported; 0 for never. */
  readonly blockedAfter: number;
  readonly onBlocked: (milliseconds: number) => void;
}

/**
 * Reports when code blocked the event loop for so long that nothing else could run: no other reconcile, no probe, no
 * renewal of the lease. It uses the system time, like `workedSince`: blocked code can't be seen on a clock that a test
 * moves. A block can only be detected afterwards; the reconciles that ran in the meantime are the suspects.
 */
export class LoopWatchdog implements Service {
  readonly #options: LoopWatchdogOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LoopWatchdogOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { blockedAfter } = this.#options;
    if (blockedAfter <= 0) return;
    const period = Math.max(10, blockedAfter / 4);
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const late = now - last - period;
      if (late >= blockedAfter) this.#report(late, last);
      last = now;
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
        seconds: Math.round(milliseconds / 100) / 10,
        reconciling,
      },
    );
  }
}

interface SampledParts {
  readonly controllers: () => readonly MeasurableController[];
  /** The caches of all clusters. */
  readonly caches: () => readonly Cache[];
}

/** Milliseconds between samples, at least. */
const pause = 1000;

/**
 * Publishes samples of a manager's process, if something has subscribed to them before it starts. It uses the system
 * time, as the watchdog does.
 */
export class Sampler implements Service {
  readonly #parts: SampledParts;
  readonly #kept = new KeptHeap();
  #most = new Map<string, ControllerSample>();
  #last: SampleMessage | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SampledParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    if (!isObserved("tsbuilder:sample")) return;
    // `Date` may be moved in dev, also before this process loads the runtime.
    const since = Math.round(performance.timeOrigin + performance.now());
    const delay = new LoopDelay();
    let due = performance.now();
    this.#kept.start();
    // Most reconciles begin and end between two turns of the timer.
    subscribe("tsbuilder:reconcile:start", this.#look);
    this.#timer = setInterval(() => {
      delay.tick();
      if (performance.now() < due) return;
      due = performance.now() + pause;
      this.#sample(since, delay);
    }, loopPeriod);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    unsubscribe("tsbuilder:reconcile:start", this.#look);
    this.#kept.stop();
  }

  readonly #look = (): void => {
    for (const { name, depth, active, workers } of this.#parts.controllers()) {
      const { queued = 0, active: before = 0 } = this.#most.get(name) ?? {};
      const most = { queued: Math.max(depth, queued), active: Math.max(active, before) };
      this.#most.set(name, { controller: name, ...most, workers });
    }
  };

  #sample(since: number, delay: LoopDelay): void {
    this.#look();
    const { milliseconds: blocked, until } = delay.take();
    const { rss: resident, heapUsed: heap } = process.memoryUsage();
    const sample: SampleMessage = {
      since,
      controllers: [...this.#most.values()],
      ...cachedObjects(this.#parts.caches()),
      blocked,
      blockedAgo: until === undefined ? undefined : Math.round(performance.now() - until),
      resident,
      heap,
      heapKept: this.#kept.bytes,
    };
    this.#most = new Map();
    if (!differs(this.#last, sample)) return;
    this.#last = sample;
    publish("tsbuilder:sample", () => sample);
  }
}

/** The field of a performance entry that the types of Node 20 omit. */
interface CollectionEntry {
  readonly detail: { readonly kind: number };
}

/** Notes how much of the heap is in use after each full garbage collection, when it holds no garbage. */
class KeptHeap {
  bytes: number | undefined;
  readonly #observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as (PerformanceEntry & CollectionEntry)[];
    if (entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR))
      this.bytes = process.memoryUsage().heapUsed;
  });

  start(): void {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  stop(): void {
    this.#observer.disconnect();
  }
}

/** A difference of fewer milliseconds is not worth a sample. */
const leastBlock = 20;
const megabyte = 1024 * 1024;

/** Returns true if a sample differs enough from the one before: memory is never the same twice. */
export function differs(before: SampleMessage | undefined, after: SampleMessage): boolean {
  if (before === undefined) return true;
  const amount = (bytes = 0, bytesBefore = 0): boolean =>
    Math.abs(bytes - bytesBefore) > Math.max(megabyte, bytesBefore / 20);
  return (
    Math.abs(after.blocked - before.blocked) > leastBlock ||
    amount(after.resident, before.resident) ||
    amount(after.heap, before.heap) ||
    amount(after.heapKept, before.heapKept) ||
    JSON.stringify([after.controllers, after.cached]) !== JSON.stringify([before.controllers, before.cached])
  );
}

function cachedObjects(caches: readonly Cache[]): Pick<SampleMessage, "cached" | "cachedBytes"> {
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
const surelyBlocked = 1000;

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

  /** Returns the longest block since the last call. */
  take(): LongestBlock {
    const longest = this.#longest;
    this.#longest = none;
    return longest;
  }
}

/**
 * The milliseconds for which this process was ready to run but others ran; 0 where the system doesn't report it, as
 * outside of Linux.
 */
function starvedTime(): number {
  try {
    const [, waited] = readFileSync("/proc/self/schedstat", "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}

export function readMemoryLimits(): MemoryLimits {
  // Without a limit, Node returns 0 or a number near 2^64, depending on its version and on that of cgroups.
  const limit = process.constrainedMemory();
  return {
    container: limit > 0 && limit < 2 ** 53 ? limit : undefined,
    heap: getHeapStatistics().heap_size_limit,
  };
}

const mebibyte = 2 ** 20;

/**
 * Warns if the heap may outgrow the container. V8 collects garbage the later the more the heap may grow, so the kernel
 * would kill a process that holds far less than it may use.
 */
export function warnOfLooseHeap({ container, heap }: MemoryLimits, log: Logger): void {
  if (container === undefined || heap < container) return;
  log.warn(
    `V8's heap may outgrow the container, which would be killed: set NODE_OPTIONS=--max-old-space-size=${heapFor(container)}`,
    { containerMiB: Math.floor(container / mebibyte), heapMiB: Math.floor(heap / mebibyte) },
  );
}

/** The heap that fits a container, in MiB: a quarter is left for code, buffers and sockets. */
function heapFor(container: number): number {
  return Math.floor((container * 0.75) / mebibyte);
}
