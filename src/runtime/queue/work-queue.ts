// The queue of a controller: each request once, by priority and time, with growing delays before retries.

import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";

export interface WorkQueueOptions<R> {
  /** Two requests with the same key are the same request. */
  readonly keyOf: (request: R) => string;
  /** Called when a request is ready: during `add` and `done`, or later by the clock. */
  readonly onReady: () => void;
  readonly clock?: Clock | undefined;
  readonly backoff?: BackoffSettings | undefined;
}

/** Is notified of what happens in a queue, for metrics. Times in milliseconds. */
export interface QueueObserver {
  added(): void;
  retried(): void;
  taken(waited: number): void;
  finished(worked: number): void;
}

/** A request that was taken from the queue. */
export interface Taken<R> {
  readonly request: R;
  readonly priority: number;
  /** How many milliseconds it was ready. */
  readonly waited: number;
}

export interface AddOptions {
  /** The delay in milliseconds. Default: none. */
  readonly after?: number | undefined;
  readonly priority?: number | undefined;
}

interface Entry<R> {
  readonly key: string;
  readonly request: R;
  priority: number;
  /** Orders entries of the same priority. */
  sequence: number;
  /** When it becomes ready; undefined once it is. */
  dueAt: number | undefined;
  /** Since when it has been ready. */
  readySince: number;
  heapIndex: number;
}

/**
 * Returns requests, never the same key concurrently. The queue contains each key once: adding it again keeps the
 * earlier time and the higher priority. A key that is added while it is being processed waits for `done`.
 *
 * Ready requests are returned by priority, then in the order in which they were added. All delayed ones share one
 * timer. No method waits; only the timer calls `onReady` later.
 */
export class WorkQueue<R> {
  observer: QueueObserver | undefined;
  readonly #options: WorkQueueOptions<R>;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #entries = new Map<string, Entry<R>>();
  readonly #ready = new Heap<Entry<R>>(
    (left, right) =>
      left.priority > right.priority || (left.priority === right.priority && left.sequence < right.sequence),
  );
  readonly #waiting = new Heap<Entry<R>>((left, right) => left.dueAt! < right.dueAt!);
  /** Keys being processed, and since when. */
  readonly #working = new Map<string, number>();
  readonly #depths = new Map<number, number>();
  #sequence = 0;
  #timer: { readonly dueAt: number; readonly cancel: () => void } | undefined;
  #isShutDown = false;

  constructor(options: WorkQueueOptions<R>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#backoff = new Backoff(options.backoff ?? defaultBackoff, this.#clock);
  }

  /** The number of ready requests by priority, including those that wait for `done`. */
  get depths(): ReadonlyMap<number, number> {
    return this.#depths;
  }

  get depth(): number {
    let depth = 0;
    for (const count of this.#depths.values()) depth += count;
    return depth;
  }

  /** Keys being processed, with the clock's `monotonic` time at which they were taken. */
  get working(): ReadonlyMap<string, number> {
    return this.#working;
  }

  /** Adds a request, or moves a waiting one forward. */
  add(request: R, { after = 0, priority = 0 }: AddOptions = {}): void {
    if (this.#isShutDown) return;
    const key = this.#options.keyOf(request);
    const dueAt = after > 0 ? this.#clock.monotonic() + after : undefined;
    const entry = this.#entries.get(key);
    if (entry) this.#hasten(entry, dueAt, priority);
    else this.#insert(key, request, dueAt, priority);
  }

  /** Adds a request after a delay that doubles with each retry of its key, until `forget`. */
  retry(request: R, options: { readonly priority?: number | undefined } = {}): void {
    if (this.#isShutDown) return;
    this.observer?.retried();
    this.add(request, { ...options, after: this.#backoff.next(this.#options.keyOf(request)) });
  }

  /** Resets the retries of a key. */
  forget(request: R): void {
    this.#backoff.forget(this.#options.keyOf(request));
  }

  /** How often a request was retried since it was last forgotten. */
  retries(request: R): number {
    return this.#backoff.retries(this.#options.keyOf(request));
  }

  /** The number of requests that were retried more than five times in a row: too often for mere conflicts of writes. */
  get failing(): number {
    return this.#backoff.failing;
  }

  /** Takes the next request; `done` must follow. Undefined if none is ready. */
  take(): Taken<R> | undefined {
    const entry = this.#ready.first;
    if (!entry) return undefined;
    this.#ready.remove(entry);
    this.#entries.delete(entry.key);
    this.#count(entry.priority, -1);
    const now = this.#clock.monotonic();
    this.#working.set(entry.key, now);
    const waited = now - entry.readySince;
    this.observer?.taken(waited);
    return { request: entry.request, priority: entry.priority, waited };
  }

  /** Marks a taken request as processed. If its key was added in the meantime, it becomes ready. */
  done(request: R): void {
    const key = this.#options.keyOf(request);
    const since = this.#working.get(key);
    if (since === undefined) return;
    this.#working.delete(key);
    this.observer?.finished(this.#clock.monotonic() - since);
    const entry = this.#entries.get(key);
    if (!entry || entry.dueAt !== undefined) return;
    this.#ready.add(entry);
    this.#options.onReady();
  }

  /** Drops all waiting requests; no more can be added. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#entries.clear();
    this.#ready.clear();
    this.#waiting.clear();
    this.#depths.clear();
    this.#setTimer(undefined);
  }

  #insert(key: string, request: R, dueAt: number | undefined, priority: number): void {
    const entry: Entry<R> = {
      key,
      request,
      priority,
      sequence: this.#sequence++,
      dueAt,
      readySince: 0,
      heapIndex: -1,
    };
    this.#entries.set(key, entry);
    this.observer?.added();
    if (dueAt === undefined) this.#makeReady(entry);
    else {
      this.#waiting.add(entry);
      this.#armTimer();
    }
  }

  /** Applies the earlier time and the higher priority to a queued request. */
  #hasten(entry: Entry<R>, dueAt: number | undefined, priority: number): void {
    const isDue = entry.dueAt === undefined;
    if (priority > entry.priority) {
      if (isDue) {
        this.#count(entry.priority, -1);
        this.#count(priority, 1);
      }
      entry.priority = priority;
      // It goes to the end of its new priority.
      entry.sequence = this.#sequence++;
      if (isDue && entry.heapIndex >= 0) this.#ready.move(entry);
    }
    if (isDue) return;
    if (dueAt === undefined) {
      this.#waiting.remove(entry);
      this.#makeReady(entry);
      this.#armTimer();
    } else if (dueAt < entry.dueAt!) {
      entry.dueAt = dueAt;
      this.#waiting.move(entry);
      this.#armTimer();
    }
  }

  #makeReady(entry: Entry<R>): void {
    entry.dueAt = undefined;
    entry.readySince = this.#clock.monotonic();
    this.#count(entry.priority, 1);
    if (this.#working.has(entry.key)) return;
    this.#ready.add(entry);
    this.#options.onReady();
  }

  #count(priority: number, change: number): void {
    const count = (this.#depths.get(priority) ?? 0) + change;
    if (count === 0) this.#depths.delete(priority);
    else this.#depths.set(priority, count);
  }

  #armTimer(): void {
    const dueAt = this.#waiting.first?.dueAt;
    if (dueAt !== this.#timer?.dueAt) this.#setTimer(dueAt);
  }

  #setTimer(dueAt: number | undefined): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (dueAt === undefined) return;
    const wait = Math.max(0, dueAt - this.#clock.monotonic());
    this.#timer = { dueAt, cancel: this.#clock.setTimer(() => this.#releaseDue(), wait) };
  }

  #releaseDue(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    // After the machine was suspended, all may be due: more than 1000 follow in the next turns of the event loop.
    for (let released = 0; released < 1000; released++) {
      const entry = this.#waiting.first;
      if (!entry || entry.dueAt! > now) break;
      this.#waiting.remove(entry);
      this.#makeReady(entry);
    }
    this.#armTimer();
  }
}

/** Delays before retries; all times in milliseconds. */
export interface BackoffSettings {
  readonly base: number;
  readonly max: number;
  /** Retries per second over all keys, with a burst of ten times as many. */
  readonly retriesPerSecond?: number | undefined;
  /** A delay instead of `base` and `max`, if it returns one. */
  readonly delay?: ((retries: number, key: string) => number | undefined) | undefined;
}

/** controller-runtime's delays: 5 ms doubling to 1000 s, without a limit over all keys. */
export const defaultBackoff: BackoffSettings = { base: 5, max: 1_000_000 };

/** Counts the retries of each key, and computes the delay before the next one. */
export class Backoff {
  readonly #settings: BackoffSettings;
  readonly #clock: Clock;
  readonly #retries = new Map<string, number>();
  /** When the token bucket would be full again without further retries. */
  #fullAt = 0;

  constructor(settings: BackoffSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Counts a retry, and returns the delay before it in milliseconds. */
  next(key: string): number {
    const retries = this.#retries.get(key) ?? 0;
    this.#retries.set(key, retries + 1);
    const { base, max, delay } = this.#settings;
    // 2 ** 1024 is infinite, and the minimum of that is still `max`.
    return Math.max(delay?.(retries, key) ?? Math.min(base * 2 ** retries, max), this.#reserve());
  }

  retries(key: string): number {
    return this.#retries.get(key) ?? 0;
  }

  get failing(): number {
    let count = 0;
    for (const retries of this.#retries.values()) if (retries > 5) count++;
    return count;
  }

  forget(key: string): void {
    this.#retries.delete(key);
  }

  /** Takes a token of the bucket, and returns the milliseconds until it is there. */
  #reserve(): number {
    const { retriesPerSecond } = this.#settings;
    if (retriesPerSecond === undefined) return 0;
    const interval = 1000 / retriesPerSecond;
    const now = this.#clock.monotonic();
    const burst = Math.max(1, 10 * retriesPerSecond) * interval;
    this.#fullAt = Math.max(this.#fullAt, now) + interval;
    return Math.max(0, this.#fullAt - now - burst);
  }
}

/** An item of a heap. It stores its own position, so that it can be moved and removed without a search. */
interface HeapItem {
  /** -1 while it is in no heap. */
  heapIndex: number;
}

/** A binary heap: the first item by `isBefore` is available at once; other operations take logarithmic time. */
class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #isBefore: (left: T, right: T) => boolean;

  constructor(isBefore: (left: T, right: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#put(item, this.#items.length);
    this.#rise(item);
  }

  /** Restores the position of an item after its order changed. */
  move(item: T): void {
    this.#rise(item);
    this.#sink(item);
  }

  remove(item: T): void {
    const { heapIndex } = item;
    const last = this.#items.pop()!;
    item.heapIndex = -1;
    if (last === item) return;
    this.#put(last, heapIndex);
    this.move(last);
  }

  clear(): void {
    for (const item of this.#items) item.heapIndex = -1;
    this.#items.length = 0;
  }

  #rise(item: T): void {
    while (item.heapIndex > 0) {
      const parent = this.#items[(item.heapIndex - 1) >> 1]!;
      if (!this.#isBefore(item, parent)) return;
      this.#swap(item, parent);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.heapIndex + 1];
      if (left === undefined) return;
      const right = this.#items[2 * item.heapIndex + 2];
      const child = right !== undefined && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(child, item)) return;
      this.#swap(item, child);
    }
  }

  #swap(left: T, right: T): void {
    const { heapIndex } = left;
    this.#put(left, right.heapIndex);
    this.#put(right, heapIndex);
  }

  #put(item: T, heapIndex: number): void {
    this.#items[heapIndex] = item;
    item.heapIndex = heapIndex;
  }
}
