// A controller: sources fill a queue, reconciles process it, and the outcome of each determines what follows. This file
// is the life of one reconcile, and `outcome.ts` interprets its end. `controller-builder.ts` makes a controller,
// `kind-source.ts` turns watch events into requests, `deletion-aware.ts` runs finalizers, and `reconciler.ts` is the
// contract of users' code.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { type Clock, parseDuration, systemClock } from "@tsbuilder/apimachinery/time";
import { onAbort } from "../clock/waits.ts";
import { CallbackError, show, synchronous } from "../callbacks/callbacks.ts";
import { formatKey } from "../client/client.ts";
import { type Logger, logCallbackError } from "../log/logger.ts";
import { type ApiWarning, type LogFields, runInScope } from "../scope/scope.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import { type Taken, WorkQueue } from "../queue/work-queue.ts";
import {
  type ReconcileEnd,
  type ReconcileEndMessage,
  type ReconcileStartMessage,
  nextRun,
  publish,
  receiver,
} from "../tracing/channels.ts";
import { noteCause } from "../tracing/span-causes.ts";
import { traceReconcile } from "../tracing/tracing.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import type { Context } from "./reconciler.ts";
import type { Enqueue, EnqueueOptions, Source, SourceContext } from "./source.ts";
import type {
  AddedWatch,
  ControllerObserver,
  ControllerSpec,
  ExtensibleController,
  MeasurableController,
  RetryDelay,
} from "./controller-spec.ts";
import { type Ranges, hasRange } from "../shards/ranges.ts";
import { formatError, stackOf } from "../log/format-field.ts";

/** The number of ended reconciles that are remembered for the watchdog. */
const endedCapacity = 10;

/** A request with its key. The key is computed once, because it must not change while the request is processed. */
interface KeyedRequest<R> {
  readonly key: string;
  readonly request: R;
}

/** Takes requests from a queue that sources fill, and decides what follows from the result of each reconcile. */
export class ControllerEngine<R> implements MeasurableController, ExtensibleController<R> {
  readonly name: string;
  readonly #spec: ControllerSpec<R>;
  readonly #clock: Clock;
  readonly #slices: TimeSlices;
  readonly queue: WorkQueue<KeyedRequest<R>>;
  readonly #running = new RunningReconciles();
  /** Runs a function outside of the running reconcile's scope: requests must not inherit its signal and log fields. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #added: AddedSources<R>;
  /** The last reconciles that ended: the watchdog reports them if they may have blocked the event loop. */
  readonly #ended: { readonly key: string; readonly at: number }[] = [];
  #mostQueued = 0;
  #mostActive = 0;
  #isWorking = false;
  #isPumpScheduled = false;
  /** The abort controller of the reconcile that was started last. */
  #latest: AbortController | undefined;
  #onIdle: (() => void) | undefined;
  #warmup: Promise<void> | undefined;
  #ready: Promise<void> | undefined;
  #observer: ControllerObserver | undefined;

  constructor(spec: ControllerSpec<R>) {
    this.name = spec.name;
    this.#spec = spec;
    this.#clock = spec.clock ?? systemClock;
    this.#slices = spec.slices ?? new TimeSlices(this.#clock);
    const { delay } = spec.backoff;
    this.queue = new WorkQueue({
      keyOf: ({ key }) => key,
      onReady: () => this.#schedulePump(),
      clock: this.#clock,
      backoff: { ...spec.backoff, delay: delay && guardDelay(delay, (error) => this.#report(error)) },
    });
    spec.shard?.gate.addWorker({
      idle: (ranges) => this.#running.idle(ranges),
      abort: (ranges) => this.#running.abort(ranges, new Error("another process reconciles the object now")),
      resume: () => this.#schedulePump(),
    });
    this.#added = new AddedSources(spec.log, (source, signal) => this.#start(signal, [source]));
  }

  get depth(): number {
    return this.queue.depth;
  }

  get active(): number {
    return this.#running.size;
  }

  get workers(): number {
    return this.#spec.maxConcurrentReconciles;
  }

  get workingSeconds(): readonly number[] {
    const now = this.#clock.monotonic();
    return [...this.queue.working.values()].map((since) => (now - since) / 1000);
  }

  takePeak(): { readonly queued: number; readonly active: number } {
    this.#notePeak();
    const peak = { queued: this.#mostQueued, active: this.#mostActive };
    this.#mostQueued = this.#mostActive = 0;
    return peak;
  }

  /** Most reconciles begin and end between two calls of `takePeak`. */
  #notePeak(): void {
    this.#mostQueued = Math.max(this.#mostQueued, this.depth);
    this.#mostActive = Math.max(this.#mostActive, this.active);
  }

  workedSince(moment: number): readonly string[] {
    const ended = this.#ended.filter(({ at }) => at >= moment).map(({ key }) => key);
    return [...new Set([...this.queue.working.keys(), ...ended])];
  }

  observe(observer: ControllerObserver): void {
    this.#observer = observer;
    this.queue.observer = observer;
  }

  /** Adds a source, which starts when the controller does, or at once. */
  addSource(source: Source<R>): AddedWatch {
    return this.#outside(() => this.#added.add(source));
  }

  /** Starts the sources that may run before the lease is held. A second call has no effect. */
  warmUp(signal: AbortSignal): Promise<void> {
    this.#added.warmUp(signal);
    this.#warmup ??= this.#start(
      signal,
      this.#spec.sources.filter(({ beforeLease }) => beforeLease),
    );
    return this.#warmup;
  }

  /** Starts all sources; resolves when each has enqueued its initial requests. A second call has no effect. */
  ready(signal: AbortSignal): Promise<void> {
    this.#ready ??= this.#startAll(signal);
    return this.#ready;
  }

  async #startAll(signal: AbortSignal): Promise<void> {
    this.#added.start(signal);
    const others = this.#spec.sources.filter(({ beforeLease }) => !beforeLease);
    await Promise.all([this.warmUp(signal), this.#start(signal, others)]);
    this.#spec.log.info("Starting Controller");
  }

  /** Resolves when each source has enqueued its initial requests; rejects if one takes too long. */
  async #start(signal: AbortSignal, sources: readonly Source<R>[]): Promise<void> {
    const { log, cacheSyncTimeout, stuckAfter } = this.#spec;
    const clock = this.#clock;
    const timeout = new AbortController();
    const cancel =
      cacheSyncTimeout === undefined ? () => {} : clock.setTimer(() => timeout.abort(), cacheSyncTimeout);
    const patience = AbortSignal.any([signal, timeout.signal]);
    const report = (error: CallbackError) => this.#report(error);
    const context: SourceContext = { signal, log, patience, clock, stuckAfter, report };
    try {
      await Promise.all(
        sources.map(async (source) => {
          log.info("Starting EventSource", { source: source.name });
          // A function that was called before the stop may still return afterwards.
          const enqueueUntilStopped: Enqueue<R> = (...request) => {
            if (!signal.aborted) this.#enqueue(source.name, ...request);
          };
          await Promise.race([
            source.start(enqueueUntilStopped, context),
            rejectIfOverdue(source, patience, signal, cacheSyncTimeout),
          ]);
        }),
      );
    } finally {
      cancel();
    }
  }

  /** Processes requests until the signal is aborted and no reconcile runs. The deadline aborts running reconciles. */
  async run(signal: AbortSignal, deadline: AbortSignal): Promise<void> {
    await this.ready(signal);
    if (signal.aborted) return;
    const { log, maxConcurrentReconciles: workers } = this.#spec;
    log.info("Starting workers", { "worker count": workers });
    this.#isWorking = true;
    this.#pump();
    await new Promise<void>((resolve) => {
      const stop = () => {
        this.#isWorking = false;
        this.queue.shutDown();
        if (this.#running.size === 0) return resolve();
        log.info("Shutdown signal received, waiting for all workers to finish");
        this.#onIdle = resolve;
        onAbort(deadline, () => this.#running.abortAll(deadline.reason));
      };
      onAbort(signal, stop);
    });
    log.info("All workers finished");
  }

  /** Adds a request to the queue. Throws for an invalid one, so that the error reaches the code that enqueues it. */
  #enqueue(
    source: string,
    request: R,
    { after, priority, cause = source, about }: EnqueueOptions = {},
  ): void {
    const { shard } = this.#spec;
    if (shard && !shard.gate.isOpen(shard.rangeOf(request))) return;
    const key: unknown = synchronous(this.#spec.keyOf(request));
    if (typeof key !== "string") throw new TypeError(`the key of a request is ${show(key)}: it must be text`);
    if (priority !== undefined && !Number.isFinite(priority))
      throw new TypeError(`priority is ${show(priority)}: it must be a number`);
    const milliseconds = after === undefined ? undefined : parseDuration(after);
    receiver?.enqueued(this.name, key, { cause, about }, milliseconds);
    publish("tsbuilder:enqueue", () => ({
      controller: this.name,
      request: key,
      cause: about ? `${cause} ${formatKey(about)}` : cause,
      after: milliseconds,
    }));
    noteCause(this.name, key, () => (about ? `${cause} ${formatKey(about)}` : cause));
    this.queue.add({ key, request }, { priority, after: milliseconds });
  }

  #report(error: CallbackError): void {
    logCallbackError(this.#spec.log, error, {});
    this.#spec.onCallbackError?.(error.callback);
  }

  /** Calls `#pump` when no promise is ready: all events of this turn are handled then, so priorities apply. */
  #schedulePump(): void {
    if (this.#isPumpScheduled || !this.#isWorking) return;
    this.#isPumpScheduled = true;
    this.#slices.afterPromises(() => {
      this.#isPumpScheduled = false;
      this.#outside(() => this.#pump());
    });
  }

  /**
   * Starts one reconcile. The next one starts when this one has ended, or waits for a timer or for I/O: if all workers
   * started at once, their steps would follow each other without a turn of the event loop.
   */
  #pump(): void {
    const { shard, maxConcurrentReconciles } = this.#spec;
    if (!this.#isWorking || this.#running.size >= maxConcurrentReconciles) return;
    if (shard && !shard.gate.isFresh) return;
    const taken = this.queue.take();
    if (!taken) return;
    const range = shard?.rangeOf(taken.request.request);
    if (!shard || shard.gate.isOpen(range)) void this.#work(taken, range);
    else this.#drop(taken.request);
    this.#schedulePump();
  }

  /** Leaves a request to the process that its range has moved to. */
  #drop(request: KeyedRequest<R>): void {
    this.#spec.shard?.forget(request.request);
    this.queue.forget(request);
    this.queue.done(request);
  }

  async #work(taken: Taken<KeyedRequest<R>>, range: number | undefined): Promise<void> {
    const { key, request } = taken.request;
    const abort = new AbortController();
    this.#latest = abort;
    this.#running.begin(abort, range);
    this.#notePeak();
    const run = nextRun();
    const startedAt = this.#clock.monotonic();
    const { log, describe, shard } = this.#spec;
    let computed: (LogFields & { readonly reconcileID: string }) | undefined;
    // Computed when they are first needed: most reconciles log nothing.
    const fields = () => (computed ??= { ...describe(request), reconcileID: randomUUID() });
    const startMessage = () => ({ controller: this.name, request: key, reconcileID: fields().reconcileID });
    const calls = {
      signal: abort.signal,
      assertMayWrite: range === undefined ? undefined : () => shard?.gate.assertMayWrite(range),
      onWarning: ({ text, request }: ApiWarning) => log.warn(text, { request }),
    };
    const span = () => ({
      controller: this.name,
      request: key,
      fields,
      waited: taken.waited,
      report: (error: Error) => this.#report(new CallbackError("tracer", "the tracer", error)),
    });
    receiver?.began(startedAt, run, this.name, key);
    publish("tsbuilder:reconcile:start", startMessage);
    try {
      await runInScope({ calls, logFields: fields, run }, () =>
        traceReconcile(span, async (trace) => {
          const reconcile = () => this.#reconcile(request, abort, fields);
          const outcome = await (trace ? runInScope({ logFields: () => trace }, reconcile) : reconcile());
          this.#settle(taken, outcome);
          const milliseconds = this.#clock.monotonic() - startedAt;
          this.#observer?.reconciled(outcome.result, milliseconds);
          const end = endOf(outcome);
          receiver?.ended(startedAt + milliseconds, run, end, milliseconds, computed?.reconcileID);
          publish("tsbuilder:reconcile:end", () => endMessage(startMessage(), end, milliseconds / 1000));
          const isStopping = abort.signal.aborted && !this.#isWorking;
          this.#reportOutcome(outcome, this.queue.retries(taken.request), isStopping);
          return outcome;
        }),
      );
    } catch (error) {
      this.#report(new CallbackError("tracer", "the tracer", error));
    } finally {
      this.#running.end(abort);
      this.#ended.push({ key, at: performance.now() });
      if (this.#ended.length > endedCapacity) this.#ended.shift();
      this.queue.done(taken.request);
      if (this.#running.size === 0) this.#onIdle?.();
      // A reconcile starts only when all earlier ones wait for a timer or for I/O. So if this one was the latest, no
      // other reconcile is ready to continue, and the next one may start at once.
      if (this.#latest === abort && this.#slices.isOpen) this.#pump();
      else this.#schedulePump();
    }
  }

  async #reconcile(request: R, abort: AbortController, fields: () => LogFields): Promise<Outcome> {
    const { log, events, reconciler } = this.#spec;
    const context: Context = { log, signal: abort.signal, events };
    const stopTimers = this.#startTimers(fields, abort);
    try {
      log.debug("Reconciling");
      return outcomeOf({ result: await reconciler.reconcile(request, context) });
    } catch (error) {
      return outcomeOf({ error });
    } finally {
      stopTimers();
    }
  }

  /** Forgets or requeues the request, depending on the outcome. */
  #settle({ request, priority }: Taken<KeyedRequest<R>>, outcome: Outcome): void {
    switch (outcome.ending) {
      case "done":
      case "terminal":
        this.queue.forget(request);
        this.#spec.shard?.forget(request.request);
        return;
      case "later":
        this.queue.forget(request);
        this.queue.add(request, { after: outcome.after, priority: outcome.priority ?? priority });
        return;
      case "again":
      case "conflict":
      case "error":
        this.queue.retry(request, { priority });
        return;
    }
  }

  /** Logs how a reconcile ended and counts its errors. */
  #reportOutcome(outcome: Outcome, retries: number, isStopping: boolean): void {
    const { log } = this.#spec;
    const observer = this.#observer;
    switch (outcome.ending) {
      case "done":
        log.debug("Reconcile successful");
        return;
      case "later":
        log.debug("Reconcile done, requeueing", { requeueAfter: outcome.after });
        return;
      case "again":
        log.warn("requeueAfter is not positive, reconciling again after the backoff of errors", {
          requeueAfter: outcome.requeueAfter,
        });
        return;
      case "conflict":
        if (retries > toleratedConflicts) {
          observer?.failed("error");
          log.warn("Conflict again, although the object was read again", { retries, error: outcome.error });
          return;
        }
        log.debug("Object changed meanwhile, reconciling again", { error: outcome.error });
        return;
      case "terminal":
        observer?.failed("terminal");
        log.error("Reconciler error, not retried until the next change", { error: outcome.error });
        return;
      case "error":
        observer?.failed("error");
        if (outcome.isPanic) observer?.failed("panic");
        if (isStopping) log.info("Reconcile stopped", { error: outcome.error });
        else log.error("Reconciler error", { error: outcome.error });
        return;
    }
  }

  /**
   * Starts the timeout of a reconcile, and a warning that is repeated while it runs: a timeout can't end code that
   * ignores its signal. Returns a function that stops both.
   */
  #startTimers(fields: () => LogFields, abort: AbortController): () => void {
    const { log, stuckAfter, reconcileTimeout } = this.#spec;
    const clock = this.#clock;
    const startedAt = clock.monotonic();
    const warn = () => {
      const seconds = Math.round((clock.monotonic() - startedAt) / 1000);
      log.warn("Reconcile is still running", { ...fields(), seconds });
      cancelWarning = clock.setTimer(warn, stuckAfter);
    };
    let cancelWarning = clock.setTimer(warn, stuckAfter);
    const expire = () => {
      this.#observer?.failed("timeout");
      abort.abort(new DOMException(`the reconcile took longer than ${reconcileTimeout} ms`, "TimeoutError"));
    };
    const cancelTimeout =
      reconcileTimeout === undefined ? undefined : clock.setTimer(expire, reconcileTimeout);
    return () => {
      cancelWarning();
      cancelTimeout?.();
    };
  }
}

/** More conflicts in a row are logged and counted as errors: what the reconciler reads probably doesn't change. */
const toleratedConflicts = 10;

function endOf(outcome: Outcome): ReconcileEnd {
  return {
    outcome: outcome.ending,
    requeueAfter: outcome.ending === "later" ? outcome.after : undefined,
    error: "error" in outcome ? outcome.error : undefined,
  };
}

/** The message of the channel `tsbuilder:reconcile:end`. */
function endMessage(
  start: ReconcileStartMessage,
  { outcome, requeueAfter, error }: ReconcileEnd,
  seconds: number,
): ReconcileEndMessage {
  // Spreading the start takes longer than all the rest.
  return {
    controller: start.controller,
    request: start.request,
    reconcileID: start.reconcileID,
    outcome,
    requeueAfter,
    error: error && formatError(error),
    stack: error && stackOf(error),
    seconds,
  };
}

/** The reconciles that run, each with the range of its object if several processes share the objects. */
class RunningReconciles {
  readonly #ranges = new Map<AbortController, number | undefined>();
  readonly #waiting = new Set<() => void>();

  get size(): number {
    return this.#ranges.size;
  }

  begin(abort: AbortController, range: number | undefined): void {
    this.#ranges.set(abort, range);
  }

  end(abort: AbortController): void {
    this.#ranges.delete(abort);
    for (const check of this.#waiting) check();
  }

  /** Resolves when none of these ranges runs. */
  idle(ranges: Ranges): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#inRanges(ranges).length > 0) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  abort(ranges: Ranges, reason: unknown): void {
    for (const abort of this.#inRanges(ranges)) abort.abort(reason);
  }

  abortAll(reason: unknown): void {
    for (const abort of this.#ranges.keys()) abort.abort(reason);
  }

  #inRanges(ranges: Ranges): AbortController[] {
    return [...this.#ranges]
      .filter(([, range]) => range !== undefined && hasRange(ranges, range))
      .map(([abort]) => abort);
  }
}

/** Wraps a user's delay function. Returns milliseconds; undefined if it returns nothing, or fails, which is reported. */
export function guardDelay(
  delay: RetryDelay,
  report: (error: CallbackError) => void,
): (retries: number, key: string) => number | undefined {
  return (retries, key) => {
    try {
      const wanted = synchronous(delay(retries, key));
      if (wanted === undefined) return undefined;
      const milliseconds = parseDuration(wanted);
      if (milliseconds >= 0) return milliseconds;
      throw new TypeError(`it returned ${show(wanted)}: a duration such as "30s" is expected`);
    } catch (error) {
      report(new CallbackError("backoff", "the function backoff.delay", error, key));
      return undefined;
    }
  };
}

/** Rejects when a source has not started in time, even if it ignores its signals. */
function rejectIfOverdue<R>(
  { name }: Source<R>,
  patience: AbortSignal,
  signal: AbortSignal,
  milliseconds: number | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = new Error(`the source "${name}" has not started within ${(milliseconds ?? 0) / 1000} s`);
    onAbort(patience, () => {
      if (signal.aborted) resolve();
      // A source that respects its signals rejects in this turn, with an error that names what it waits for.
      else setImmediate(() => reject(late));
    });
  });
}

/** Sources that are added to a controller, and removed again, at any time. */
export class AddedSources<R> {
  readonly #log: Logger;
  /** Resolves when the source has enqueued its initial requests. */
  readonly #start: (source: Source<R>, signal: AbortSignal) => Promise<void>;
  /** Sources that wait for the controller to start. */
  readonly #waiting = new Set<{
    readonly source: Source<R>;
    readonly begin: (signal: AbortSignal) => void;
    readonly stop: () => void;
  }>();
  #warmUpSignal: AbortSignal | undefined;
  #startSignal: AbortSignal | undefined;

  constructor(log: Logger, start: (source: Source<R>, signal: AbortSignal) => Promise<void>) {
    this.#log = log;
    this.#start = start;
  }

  add(source: Source<R>): AddedWatch {
    const ending = new AbortController();
    const stop = () => ending.abort(new Error(`the watch of ${source.name} was stopped`));
    const synced = new Promise<void>((resolve, reject) => {
      const waiting = {
        source,
        begin: (signal: AbortSignal) =>
          void this.#start(source, AbortSignal.any([signal, ending.signal])).then(resolve, reject),
        stop,
      };
      this.#waiting.add(waiting);
      ending.signal.addEventListener("abort", () => {
        this.#waiting.delete(waiting);
        resolve();
      });
    });
    synced.catch((error: unknown) =>
      this.#log.error("A watch that was added is not synced in time, and goes on trying", {
        source: source.name,
        error,
      }),
    );
    this.#begin();
    return { synced, stop };
  }

  /** Starts the sources that need no lease, now and later. */
  warmUp(signal: AbortSignal): void {
    this.#warmUpSignal = signal;
    onAbort(signal, () => this.#forget());
    this.#begin();
  }

  /** Starts all sources, now and later. */
  start(signal: AbortSignal): void {
    this.#startSignal = signal;
    onAbort(signal, () => this.#forget());
    this.#begin();
  }

  /** Ends the sources that still wait: the controller has stopped. */
  #forget(): void {
    for (const { stop } of this.#waiting) stop();
  }

  /** Starts the waiting sources that may run now. */
  #begin(): void {
    if (this.#startSignal?.aborted || this.#warmUpSignal?.aborted) return this.#forget();
    for (const waiting of this.#waiting) {
      const signal = this.#startSignal ?? (waiting.source.beforeLease ? this.#warmUpSignal : undefined);
      if (!signal) continue;
      this.#waiting.delete(waiting);
      waiting.begin(signal);
    }
  }
}
