// Events about objects, recorded by reconciles and sent in the background.

import { AsyncLocalStorage } from "node:async_hooks";
import type { OneWord } from "@tsbuilder/apimachinery/meta";
import { type Clock, formatMicroTime } from "@tsbuilder/apimachinery/time";
import type { Client, NamespacedName, Owner } from "../client/client.ts";
import { onAbort, waitWithClock } from "../clock/waits.ts";
import { ApiError } from "../errors/api-error.ts";
import type { ObjectReference } from "../k8s/core/v1.ts";
import { Event } from "../k8s/events/v1.ts";
import type { Logger } from "../log/logger.ts";

/**
 * Records what happened to an object as an `events.k8s.io/v1` Event, shown by `kubectl describe`. Never waits or throws:
 * Events are sent in the background, equal ones become a series, and if too many wait, the newest are dropped and counted.
 */
export interface EventRecorder {
  /** Something expected happened. */
  normal<Reason extends string>(
    regarding: Owner,
    reason: OneWord<Reason>,
    note: string,
    details?: EventDetails,
  ): void;
  /** Something needs attention. */
  warning<Reason extends string>(
    regarding: Owner,
    reason: OneWord<Reason>,
    note: string,
    details?: EventDetails,
  ): void;
}

/** Optional fields of an Event. */
export interface EventDetails {
  /** The action of the controller: `Scaling`. Default: the reason. */
  readonly action?: string | undefined;
  /** A second object that is involved. */
  readonly related?: Owner | undefined;
  readonly annotations?: { readonly [name: string]: string } | undefined;
}

/** How Events are sent. */
interface EventRecorderOptions {
  readonly client: Client;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly log: Logger;
  readonly clock: Clock;
}

/** How many Events may wait to be sent. */
const maxWaiting = 1000;

/** As in client-go: an Event is dropped after this many attempts, one every ten seconds. */
const maxAttempts = 12;
const retryPeriod = 10_000;

/** Milliseconds without an event after which a series is over; the next event starts another. */
const seriesIdle = 360_000;

/** How often an ongoing series is written to the server, and how often all series are checked, in milliseconds. */
const seriesRefresh = 1_800_000;
const sweepPeriod = 60_000;

/** Equal Events: the first one as it is stored, and how many there were. */
interface Series {
  readonly event: Event & { readonly metadata: NamespacedName };
  readonly key: string;
  count: number;
  lastSeen: number;
  lastSent: number;
  /** The `count` that was last sent. */
  sentCount: number;
  isStored: boolean;
  isQueued: boolean;
}

/** Sends Events in the background, one at a time and in order. */
export class ApiEventRecorder implements EventRecorder {
  /** Events that were not sent because too many were waiting, or one object had too many. */
  dropped = 0;
  readonly #options: EventRecorderOptions;
  readonly #admits: (object: string) => boolean;
  readonly #series = new Map<string, Series>();
  readonly #queue: Series[] = [];
  readonly #abort = new AbortController();
  /** Sending belongs to no reconcile: it must not inherit its signal or log fields. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #sending: Promise<void> | undefined;
  #cancelSweep: (() => void) | undefined;
  #isStopped = false;
  #nameCounter = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#admits = spamFilter(options.clock);
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
    const forget = onAbort(deadline, () => this.#abort.abort(deadline.reason));
    await this.#sending;
    forget();
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
    const relatedReference = related === undefined ? undefined : referenceTo(related);
    const key = JSON.stringify([
      type,
      object.uid,
      object.name,
      reason,
      action,
      note,
      relatedReference?.uid,
      relatedReference?.name,
    ]);
    const now = this.#options.clock.now();
    const ongoing = this.#series.get(key);
    if (ongoing && now - ongoing.lastSeen < seriesIdle) {
      ongoing.count++;
      ongoing.lastSeen = now;
      if (ongoing.count === 2) this.#enqueue(ongoing);
      return;
    }
    if (!this.#admits(JSON.stringify([object.apiVersion, object.kind, object.namespace, object.name]))) {
      this.#drop("its object has too many");
      return;
    }
    const { reportingController, reportingInstance } = this.#options;
    // The server limits the texts: 128 characters, and 1024 bytes for the note.
    const event = {
      apiVersion: Event.apiVersion,
      kind: Event.kind,
      metadata: {
        name: uniqueName(object, now, this.#nameCounter++),
        namespace: object.namespace ?? clusterScopedNamespace,
        ...(annotations && { annotations: { ...annotations } }),
      },
      eventTime: formatMicroTime(now),
      reportingController,
      reportingInstance: reportingInstance.slice(0, 128),
      action: action.slice(0, 128),
      reason: reason.slice(0, 128),
      regarding: object,
      ...(relatedReference && { related: relatedReference }),
      note: truncateBytes(note, 1024),
      type,
    };
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
    this.#cancelSweep ??= this.#options.clock.setTimer(() => this.#sweep(), sweepPeriod, "upkeep");
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
          // The Event expired on the server: create it again.
          series.isStored = false;
          continue;
        }
        if (error instanceof ApiError && error.isAlreadyExists) return;
        if (attempt >= maxAttempts || this.#isStopped || isRejected(error)) {
          this.#series.delete(series.key);
          this.#drop("the server refused it", error);
          return;
        }
        await waitWithClock(clock, retryPeriod, signal);
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
      this.#series.size === 0
        ? undefined
        : this.#options.clock.setTimer(() => this.#sweep(), sweepPeriod, "upkeep");
  }

  #drop(why: string, error?: unknown): void {
    this.dropped++;
    this.#options.log.debug("Dropped an event", { why, error, dropped: this.dropped });
  }
}

/** The namespace of Events about cluster-scoped objects, as in client-go. */
const clusterScopedNamespace = "default";

/** An object reference as Events have it. */
function referenceTo({ apiVersion, kind, metadata: { name, namespace, uid } }: Owner): ObjectReference {
  return { apiVersion, kind, name, uid, ...(namespace === undefined ? {} : { namespace }) };
}

/** A name that is unique without asking the server: with the time in hexadecimal, as in client-go, and a counter. */
function uniqueName({ name = "unnamed" }: ObjectReference, now: number, serial: number): string {
  const suffix = `.${(BigInt(Math.trunc(now)) * 1_000_000n + BigInt(serial % 1_000_000)).toString(16)}`;
  return `${name.slice(0, 253 - suffix.length)}${suffix}`;
}

/** Cuts a text to a number of bytes in UTF-8. A character that is cut itself becomes U+FFFD, which is removed. */
function truncateBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  return bytes.subarray(0, max).toString("utf8").replace(/�+$/, "");
}

/** Like client-go's recorder: a burst of 25 events per object, then one every five minutes. */
const burst = 25;
const refillPeriod = 300_000;

/** How many objects are tracked, so that memory is bounded in a busy cluster. */
const maxObjects = 4096;

/**
 * Returns a function that counts an Event of an object, and returns true if it may be sent: an object that fails
 * repeatedly must not fill etcd with different Events.
 */
function spamFilter(clock: Clock): (object: string) => boolean {
  /** By object, the least recently used one first. */
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();
  return (object) => {
    const now = clock.monotonic();
    const bucket = buckets.get(object) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillPeriod);
    const isAdmitted = tokens >= 1;
    buckets.delete(object);
    buckets.set(object, { tokens: isAdmitted ? tokens - 1 : tokens, at: now });
    if (buckets.size > maxObjects) buckets.delete(buckets.keys().next().value!);
    return isAdmitted;
  };
}

/** Returns true if the server rejected the Event, so that a retry can't help. */
function isRejected(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && !error.isTooManyRequests;
}
