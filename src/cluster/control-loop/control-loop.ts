import { AsyncResource } from "node:async_hooks";
import { setImmediate } from "node:timers";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Controller, ControllerContext } from "./controller.ts";
import { ReportedError, isLostRace, isNamespaceEnding } from "./failures.ts";
import type { ObjectEvent } from "../contract/cluster-objects.ts";

/** In milliseconds. Each failure in a row doubles it before the key is retried. */
const baseBackoff = 5;
const longestBackoff = 10_000;

/** The number of immediate retries after conflicts. The last failure is reported: it may never succeed. */
const fastRetries = 10;

/**
 * Runs a controller: collects keys from events and reconciles them one after the other; a key that is enqueued several
 * times is reconciled once. Writes are visible to the next read, so that no expectations are needed.
 */
export class ControlLoop {
  readonly #name: string;
  readonly #controller: Controller;
  readonly #context: ControllerContext;
  readonly #clock: ReconcileClock;
  readonly #pending = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();
  /** The keys whose last reconcile asked for another one without a delay. */
  readonly #immediate = new Set<string>();
  readonly #unwatch: () => void;
  /** Runs in the async context of the loop's creation, not in that of the request whose write triggered it. */
  readonly #startDraining = AsyncResource.bind(() => this.#drain());
  #draining: Promise<void> | undefined;
  #isStopped = false;

  constructor(name: string, create: (clock: Clock) => Controller, context: ControllerContext) {
    this.#name = name;
    this.#context = context;
    this.#clock = new ReconcileClock(context.clock);
    this.#controller = create(this.#clock);
    this.#unwatch = context.objects.watch((event) => this.#enqueueFor(event));
    const { objects } = context;
    const { startKeys = [], watches } = this.#controller;
    for (const key of startKeys) this.#enqueue(key);
    for (const resource of watches ?? objects.resources().map((served) => served.resource)) {
      for (const object of objects.list(resource)) this.#enqueueFor({ type: "ADDED", resource, object });
    }
  }

  /** Resolves when every pending key is reconciled; undefined if there is none. */
  idle(): Promise<void> | undefined {
    return this.#draining;
  }

  /** Stops the loop; resolves when the current reconcile is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unwatch();
    for (const cancel of this.#timers.values()) cancel();
    this.#pending.clear();
    await this.#draining;
  }

  #enqueueFor(event: ObjectEvent): void {
    const { watches } = this.#controller;
    if (watches && !watches.includes(event.resource)) return;
    for (const key of this.#controller.keysOf(event)) this.#enqueue(key);
  }

  #enqueue(key: string): void {
    if (this.#isStopped) return;
    this.#pending.add(key);
    this.#draining ??= this.#startDraining();
  }

  async #drain(): Promise<void> {
    // Events arrive during a write: let it return to its caller first.
    await Promise.resolve();
    for (const key of this.#pending) {
      this.#pending.delete(key);
      await this.#reconcile(key);
      await nextTurn();
    }
    this.#draining = undefined;
  }

  async #reconcile(key: string): Promise<void> {
    const isImmediate = this.#immediate.delete(key);
    try {
      const delay = await this.#clock.during(() => this.#controller.reconcile(key));
      if (delay === 0 && isImmediate) {
        // A second immediate reconcile would loop forever, and stop the clock of a test.
        this.#immediate.add(key);
        throw new Error("what is due now was due before, and not done");
      }
      this.#failures.delete(key);
      this.#requeueAfter(key, delay);
    } catch (error) {
      this.#retry(key, error);
    }
  }

  /** Retries a key: at once after a conflict, whose cause is gone, otherwise with backoff. */
  #retry(key: string, error: unknown): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (isLostRace(error) && failures < fastRetries) {
      this.#enqueue(key);
      return;
    }
    const isExpected = isLostRace(error) && failures !== fastRetries;
    if (!isExpected && !isNamespaceEnding(error) && !(error instanceof ReportedError)) {
      this.#context.onError?.(this.#name, key, error);
    }
    this.#requeueAfter(key, Math.min(baseBackoff * 2 ** failures, longestBackoff));
  }

  #requeueAfter(key: string, delay: number | undefined): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (delay === undefined || this.#isStopped) return;
    const cancel = this.#context.clock.setTimer(() => {
      this.#timers.delete(key);
      if (delay === 0) this.#immediate.add(key);
      this.#enqueue(key);
    }, delay);
    this.#timers.set(key, cancel);
  }
}

/**
 * The clock of a controller. It stands still during a reconcile: otherwise something could become due after the status
 * was computed and before the delay is, so that the reconcile returns no delay and the key is never reconciled again.
 */
class ReconcileClock implements Clock {
  readonly #clock: Clock;
  #time: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#time ?? this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(...timer: Parameters<Clock["setTimer"]>): () => void {
    return this.#clock.setTimer(...timer);
  }

  async during<T>(reconcile: () => Promise<T>): Promise<T> {
    this.#time = this.#clock.now();
    try {
      return await reconcile();
    } finally {
      this.#time = undefined;
    }
  }
}

/** Yields to requests and timers. Imports `setImmediate`, because fake timers of tests replace the global one. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
