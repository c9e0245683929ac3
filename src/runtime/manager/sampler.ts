import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Cache } from "../cache/cache.ts";
import type { MeasurableController } from "../controller/controller-spec.ts";
import type { Service } from "../serve/service.ts";
import { type ControllerSample, isObserved, publish, type SampleMessage } from "../tracing/channels.ts";
import { differs } from "./differs.ts";
import { KeptHeap } from "./kept-heap.ts";
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
