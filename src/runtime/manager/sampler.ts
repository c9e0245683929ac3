import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type PerformanceEntry, PerformanceObserver, constants } from "node:perf_hooks";
import type { Cache } from "../cache/cache.ts";
import type { MeasurableController } from "../controller/controller-spec.ts";
import type { Service } from "../serve/service.ts";
import { type ControllerSample, type SampleMessage, isObserved, publish } from "../tracing/channels.ts";
import { LoopDelay, loopPeriod } from "./loop-delay.ts";

/** What samples are taken of. */
export interface SampledParts {
  readonly controllers: () => readonly MeasurableController[];
  /** Of all clusters. */
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

/** What the types of Node 20 omit. */
interface CollectionEntry {
  readonly detail: { readonly kind: number };
}

/** Notes how much of the heap is in use after each full garbage collection: what is in use before may be garbage. */
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

/** Blocks that are shorter are no news. */
const leastBlock = 20;

const megabyte = 1024 * 1024;

/** Whether a sample tells something that the one before didn't; memory is never the same twice. */
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
