import { AsyncLocalStorage } from "node:async_hooks";
import { formatMicroTime } from "@tsbuilder/apimachinery/time";
import { ApiError } from "../errors/api-error.ts";
import type { Client } from "../client/client.ts";
import type { Owner } from "../client/options.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { waitWithClock } from "../clock/wait-with-clock.ts";
import type { Logger } from "../log/logger.ts";
import { Event } from "./event.ts";
import { makeEvent, referenceTo } from "./make-event.ts";
import type { EventDetails, EventRecorder } from "./event-recorder.ts";
import { SpamFilter } from "./spam-filter.ts";

/** How Events are sent. */
export interface EventRecorderOptions {
  readonly client: Client;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly log: Logger;
  readonly clock: Clock;
}

/** How many Events may wait to be sent. */
const maxWaiting = 1000;
const maxTries = 12;
const retryEvery = 10_000;
/** Milliseconds without an event after which a series is over; the next event starts another. */
const seriesIdle = 360_000;
/** How often an ongoing series is written to the server, in milliseconds. */
const seriesRefresh = 1_800_000;
const sweepEvery = 60_000;

interface Series {
  readonly event: Event;
  readonly key: string;
  count: number;
  lastSeen: number;
  lastSent: number;
  sentCount: number;
  isStored: boolean;
  isQueued: boolean;
}

/** Sends Events in the background, one at a time and in order. */
export class ApiEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #spam: SpamFilter;
  readonly #series = new Map<string, Series>();
  readonly #queue: Series[] = [];
  readonly #abort = new AbortController();
  /** Sending belongs to no reconcile: it must not inherit its signal or log fields. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #sending: Promise<void> | undefined;
  #cancelSweep: (() => void) | undefined;
  #dropped = 0;
  #isStopped = false;
  #names = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#spam = new SpamFilter(options.clock);
  }

  /** Events that were not sent because too many were waiting, or one object had too many. */
  get dropped(): number {
    return this.#dropped;
  }

  normal(regarding: Owner, reason: string, note: string, details?: EventDetails): void {
    this.#record("Normal", regarding, reason, note, details);
  }

  warning(regarding: Owner, reason: string, note: string, details?: EventDetails): void {
    this.#record("Warning", regarding, reason, note, details);
  }

  /** Sends the waiting Events, until the deadline. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep?.();
    for (const series of this.#series.values()) if (series.count !== series.sentCount) this.#enqueue(series);
    const giveUp = () => this.#abort.abort(deadline.reason);
    if (deadline.aborted) giveUp();
    deadline.addEventListener("abort", giveUp, { once: true });
    await this.#sending;
    deadline.removeEventListener("abort", giveUp);
  }

  #record(
    type: "Normal" | "Warning",
    regarding: Owner,
    reason: string,
    note: string,
    { action = reason, related, annotations }: EventDetails = {},
  ): void {
    if (this.#isStopped) return;
    const object = referenceTo(regarding);
    const other = related === undefined ? undefined : referenceTo(related);
    const key = JSON.stringify([
      type,
      object.uid,
      object.name,
      reason,
      action,
      note,
      other?.uid,
      other?.name,
    ]);
    const now = this.#options.clock.now();
    const known = this.#series.get(key);
    if (known && now - known.lastSeen < seriesIdle) {
      known.count++;
      known.lastSeen = now;
      if (known.count === 2) this.#enqueue(known);
      return;
    }
    if (!this.#spam.admits(JSON.stringify([object.apiVersion, object.kind, object.namespace, object.name]))) {
      this.#drop("its object has too many");
      return;
    }
    const { reportingController, reportingInstance } = this.#options;
    const event = makeEvent({
      type,
      regarding: object,
      related: other,
      reason,
      action,
      note,
      annotations,
      reportingController,
      reportingInstance,
      now,
      serial: this.#names++,
    });
    const series: Series = {
      event,
      key,
      count: 1,
      lastSeen: now,
      lastSent: now,
      sentCount: 0,
      isStored: false,
      isQueued: false,
    };
    this.#series.set(key, series);
    this.#enqueue(series);
    this.#cancelSweep ??= this.#options.clock.setTimer(() => this.#sweep(), sweepEvery);
  }

  #enqueue(series: Series): void {
    if (series.isQueued) return;
    if (this.#queue.length >= maxWaiting) {
      this.#series.delete(series.key);
      this.#drop("too many wait to be sent");
      return;
    }
    series.isQueued = true;
    this.#queue.push(series);
    this.#sending ??= this.#outside(() => this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    for (let series = this.#queue.shift(); series; series = this.#queue.shift()) {
      series.isQueued = false;
      await this.#send(series);
    }
    this.#sending = undefined;
  }

  async #send(series: Series): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#abort;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        series.sentCount = series.count;
        await this.#write(series, signal);
        series.isStored = true;
        series.lastSent = clock.now();
        return;
      } catch (error) {
        if (error instanceof ApiError && series.isStored && error.isNotFound) {
          // It expired on the server: record it as a new Event.
          series.isStored = false;
          continue;
        }
        if (error instanceof ApiError && error.isAlreadyExists) return;
        if (attempt >= maxTries || this.#isStopped || isRefused(error)) {
          this.#series.delete(series.key);
          this.#drop("the server refused it", error);
          return;
        }
        await waitWithClock(clock, retryEvery, signal);
      }
    }
  }

  async #write({ event, count, lastSeen, isStored }: Series, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const series = { count, lastObservedTime: formatMicroTime(lastSeen) };
    if (isStored) await client.patch(Event, event, { merge: { series } }, { signal });
    else await client.create(Event, count > 1 ? { ...event, series } : event, { signal });
  }

  /** Writes ongoing and finished series to the server, and forgets the finished ones. */
  #sweep(): void {
    const now = this.#options.clock.now();
    for (const series of this.#series.values()) {
      const isOver = now - series.lastSeen >= seriesIdle;
      const isDue = now - series.lastSent >= seriesRefresh;
      if (series.count !== series.sentCount && (isOver || isDue)) this.#enqueue(series);
      else if (isOver) this.#series.delete(series.key);
    }
    this.#cancelSweep =
      this.#series.size === 0 ? undefined : this.#options.clock.setTimer(() => this.#sweep(), sweepEvery);
  }

  #drop(why: string, error?: unknown): void {
    this.#dropped++;
    this.#options.log.debug("Dropped an event", { why, error, dropped: this.#dropped });
  }
}

/** A retry helps if the server is unreachable, not if it rejected the Event. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && !error.isTooManyRequests;
}
