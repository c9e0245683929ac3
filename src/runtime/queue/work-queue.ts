import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { Backoff, type BackoffSettings, defaultBackoff } from "./backoff.ts";
import { Heap } from "./heap.ts";

/** How a queue is set up. */
export interface WorkQueueOptions<R> {
  /** Two requests with the same key are the same request. */
  readonly keyOf: (request: R) => string;
  /** Called when there is something to take: at once by `add` and `done`, or later by the clock. */
  readonly onReady: () => void;
  readonly clock?: Clock | undefined;
  readonly backoff?: BackoffSettings | undefined;
}

/** Receives what happens in a queue, for metrics. Times in milliseconds. */
export interface QueueObserver {
  added(): void;
  retried(): void;
  taken(waited: number): void;
  finished(worked: number): void;
}

/** A request that was handed out, and the priority it had. */
export interface Taken<R> {
  readonly request: R;
  readonly priority: number;
}

/** When and how urgently. */
export interface AddOptions {
  /** Milliseconds to wait. */
  readonly after?: number | undefined;
  readonly priority?: number | undefined;
}

interface Entry<R> {
  readonly key: string;
  readonly request: R;
  priority: number;
  /** Orders entries of one priority. */
  sequence: number;
  /** When it is due; undefined once it is. */
  dueAt: number | undefined;
  /** Since when it could have been taken. */
  readySince: number;
  place: number;
}

/**
 * Hands out requests, never one key twice at the same time. A key is in the queue once: what is added again keeps the
 * earlier time and the higher priority. What is added while its key is being worked on waits for `done`.
 *
 * Ready requests leave by priority, then in the order they came; delayed ones wait for one timer, however many there
 * are. Nothing here is asynchronous but the clock.
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
  /** Keys being worked on, and since when. */
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

  /** How many requests are due, by priority. */
  get depths(): ReadonlyMap<number, number> {
    return this.#depths;
  }

  /** How many requests are due. */
  get depth(): number {
    let depth = 0;
    for (const count of this.#depths.values()) depth += count;
    return depth;
  }

  /** Keys that are being worked on, with the time of the clock's `monotonic` they were taken at. */
  get working(): ReadonlyMap<string, number> {
    return this.#working;
  }

  /** Adds a request, or hastens the one that waits. */
  add(request: R, { after = 0, priority = 0 }: AddOptions = {}): void {
    if (this.#isShutDown) return;
    const key = this.#options.keyOf(request);
    const dueAt = after > 0 ? this.#clock.monotonic() + after : undefined;
    const entry = this.#entries.get(key);
    if (entry) this.#hasten(entry, dueAt, priority);
    else this.#insert(key, request, dueAt, priority);
  }

  /** Adds a request after a wait that doubles with each retry of its key, until `forget`. */
  retry(request: R, options: { readonly priority?: number | undefined } = {}): void {
    if (this.#isShutDown) return;
    this.observer?.retried();
    this.add(request, { ...options, after: this.#backoff.next(this.#options.keyOf(request)) });
  }

  /** Ends a row of retries: the next one is a first one. */
  forget(request: R): void {
    this.#backoff.forget(this.#options.keyOf(request));
  }

  /** How often a request was retried since it was last forgotten. */
  retries(request: R): number {
    return this.#backoff.retries(this.#options.keyOf(request));
  }

  /** Takes the next request; `done` must follow. Undefined if there is none to work on now. */
  take(): Taken<R> | undefined {
    const entry = this.#ready.first;
    if (!entry) return undefined;
    this.#ready.remove(entry);
    this.#entries.delete(entry.key);
    this.#count(entry.priority, -1);
    const now = this.#clock.monotonic();
    this.#working.set(entry.key, now);
    this.observer?.taken(now - entry.readySince);
    return { request: entry.request, priority: entry.priority };
  }

  /** Says that a taken request is worked off; what was added for its key meanwhile is now to be had. */
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

  /** Drops everything that waits; nothing can be added any more. */
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
      place: -1,
    };
    this.#entries.set(key, entry);
    this.observer?.added();
    if (dueAt === undefined) this.#makeReady(entry);
    else {
      this.#waiting.add(entry);
      this.#arm();
    }
  }

  #hasten(entry: Entry<R>, dueAt: number | undefined, priority: number): void {
    const isDue = entry.dueAt === undefined;
    if (priority > entry.priority) {
      if (isDue) {
        this.#count(entry.priority, -1);
        this.#count(priority, 1);
      }
      entry.priority = priority;
      // It joins the end of its new level, behind those who were there before.
      entry.sequence = this.#sequence++;
      if (isDue && entry.place >= 0) this.#ready.move(entry);
    }
    if (isDue) return;
    if (dueAt === undefined) {
      this.#waiting.remove(entry);
      this.#makeReady(entry);
      this.#arm();
    } else if (dueAt < entry.dueAt!) {
      entry.dueAt = dueAt;
      this.#waiting.move(entry);
      this.#arm();
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

  #arm(): void {
    const dueAt = this.#waiting.first?.dueAt;
    if (dueAt !== this.#timer?.dueAt) this.#setTimer(dueAt);
  }

  #setTimer(dueAt: number | undefined): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (dueAt === undefined) return;
    const wait = Math.max(0, dueAt - this.#clock.monotonic());
    this.#timer = { dueAt, cancel: this.#clock.setTimer(() => this.#release(), wait) };
  }

  #release(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let entry = this.#waiting.first; entry && entry.dueAt! <= now; entry = this.#waiting.first) {
      this.#waiting.remove(entry);
      this.#makeReady(entry);
    }
    this.#arm();
  }
}
