import { onAbort } from "../clock/on-abort.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { synchronous } from "../callbacks/call-safely.ts";
import { CallbackError } from "../callbacks/callback-error.ts";
import { logCallbackError } from "../log/log-callback-error.ts";
import { show } from "../callbacks/thrown-error.ts";
import type { ApiWarning } from "../scope/call-context.ts";
import { type Clock, parseDuration, systemClock } from "@tsbuilder/apimachinery/time";
import type { LogFields } from "../log/logger.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import { type Taken, WorkQueue } from "../queue/work-queue.ts";
import { runInScope } from "../scope/scope.ts";
import { publish } from "../tracing/channels.ts";
import { Tracing } from "../tracing/tracing.ts";
import { endMessage, type Outcome, outcomeOf } from "./outcome.ts";
import type { Context } from "./reconciler.ts";
import type { EnqueueOptions, Source } from "./source.ts";
import { startReconcileTimers } from "./reconcile-timers.ts";
import { reportOutcome } from "./report-outcome.ts";
import { EndedReconciles } from "./ended-reconciles.ts";
import { AddedSources } from "./added-sources.ts";
import { ownDelay } from "./own-delay.ts";
import { RunningReconciles } from "./running-reconciles.ts";
import { startSources } from "./start-sources.ts";
import type { ControllerObserver, ControllerSpec, MeasurableController, Watch } from "./controller-spec.ts";
import type { ExtensibleController } from "./watchable-controller.ts";

/** A request with its key, which is computed once: it must not change while the request is processed. */
interface Keyed<R> {
  readonly key: string;
  readonly request: R;
}

/** Takes requests from a queue that sources fill, and decides what follows from the result of each reconcile. */
export class ControllerEngine<R> implements MeasurableController, ExtensibleController<R> {
  readonly name: string;
  readonly #spec: ControllerSpec<R>;
  readonly #clock: Clock;
  readonly #slices: TimeSlices;
  readonly queue: WorkQueue<Keyed<R>>;
  readonly #running = new RunningReconciles();
  /** What one reconcile triggers must not inherit its signal and log fields. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #tracing: Tracing;
  readonly #added: AddedSources<R>;
  readonly #ended = new EndedReconciles();
  #isWorking = false;
  #isPumpScheduled = false;
  /** The reconcile that was started last. */
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
    this.#tracing = spec.tracing ?? new Tracing();
    const { delay } = spec.backoff;
    this.queue = new WorkQueue({
      keyOf: ({ key }) => key,
      onReady: () => this.#schedulePump(),
      clock: this.#clock,
      backoff: { ...spec.backoff, delay: delay && ownDelay(delay, (error) => this.#report(error)) },
    });
    spec.shard?.gate.addWorker({
      idle: (ranges) => this.#running.idle(ranges),
      abort: (ranges) => this.#running.abort(ranges, new Error("another process reconciles the object now")),
      resume: () => this.#schedulePump(),
    });
    this.#added = new AddedSources({
      log: spec.log,
      start: (source, signal) => this.#start(signal, [source]),
    });
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

  workedSince(moment: number): readonly string[] {
    return [...new Set([...this.queue.working.keys(), ...this.#ended.since(moment)])];
  }

  /** Notifies an observer from now on. */
  observe(observer: ControllerObserver): void {
    this.#observer = observer;
    this.queue.observer = observer;
  }

  /** Adds a source, which starts when the controller does, or at once. */
  addSource(source: Source<R>): Watch {
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

  #start(signal: AbortSignal, sources: readonly Source<R>[]): Promise<void> {
    return startSources({ ...this.#spec, sources }, signal, {
      clock: this.#clock,
      enqueue: (...request) => this.#enqueue(...request),
      report: (error) => this.#report(error),
    });
  }

  /**
   * Processes requests until the signal is aborted and the running reconciles have ended. `deadline` aborts their
   * signals.
   */
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

  /** Throws for an invalid request, so that the error reaches the code that enqueues it. */
  #enqueue(source: string, request: R, { after, priority, cause = source }: EnqueueOptions = {}): void {
    const { shard } = this.#spec;
    if (shard && !shard.gate.isOpen(shard.rangeOf(request))) return;
    const key: unknown = synchronous(this.#spec.keyOf(request));
    if (typeof key !== "string") throw new TypeError(`the key of a request is ${show(key)}: it must be text`);
    if (priority !== undefined && !Number.isFinite(priority))
      throw new TypeError(`priority is ${show(priority)}: it must be a number`);
    const milliseconds = after === undefined ? undefined : parseDuration(after);
    publish("tsbuilder:enqueue", () => ({ controller: this.name, request: key, cause, after: milliseconds }));
    this.queue.add({ key, request }, { priority, after: milliseconds });
  }

  #report(error: CallbackError): void {
    logCallbackError(this.#spec.log, error, {});
    this.#spec.onCallbackError?.(error.callback);
  }

  /** Requests whose events are handled together are taken after all of them, so that their priorities apply. */
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
  #drop(request: Keyed<R>): void {
    this.#spec.shard?.forget(request.request);
    this.queue.forget(request);
    this.queue.done(request);
  }

  async #work(taken: Taken<Keyed<R>>, range: number | undefined): Promise<void> {
    const { key, request } = taken.request;
    const abort = new AbortController();
    this.#latest = abort;
    this.#running.begin(abort, range);
    const startedAt = this.#clock.monotonic();
    const { log, describe, shard } = this.#spec;
    const fields = lazy(() => ({ ...describe(request), reconcileID: randomUUID() }));
    const told = () => ({ controller: this.name, request: key, reconcileID: fields().reconcileID });
    const calls = {
      signal: abort.signal,
      assertMayWrite: range === undefined ? undefined : () => shard?.gate.assertMayWrite(range),
      onWarning: ({ text, request }: ApiWarning) => log.warn(text, { request }),
    };
    const attributes = () => ({ controller: this.name, ...fields() });
    publish("tsbuilder:reconcile:start", told);
    try {
      await runInScope({ calls, logFields: fields }, () =>
        this.#tracing.run(`reconcile ${this.name}`, attributes, async (trace) => {
          const run = () => this.#reconcile(request, abort, fields);
          const outcome = await (trace ? runInScope({ logFields: () => trace }, run) : run());
          this.#settle(taken, outcome);
          const milliseconds = this.#clock.monotonic() - startedAt;
          this.#observer?.reconciled(outcome.result, milliseconds);
          publish("tsbuilder:reconcile:end", () => endMessage(told(), outcome, milliseconds / 1000));
          const isStopping = abort.signal.aborted && !this.#isWorking;
          const retries = this.queue.retries(taken.request);
          reportOutcome(outcome, { log, observer: this.#observer, retries, isStopping });
          return outcome;
        }),
      );
    } catch (error) {
      this.#report(new CallbackError("tracer", "the tracer", error));
    } finally {
      this.#running.end(abort);
      this.#ended.add(key);
      this.queue.done(taken.request);
      if (this.#running.size === 0) this.#onIdle?.();
      // A reconcile starts only when all earlier ones wait for a timer or for I/O. So if this one was the latest, none of
      // the others is ready, and the next one may start at once.
      if (this.#latest === abort && this.#slices.isOpen) this.#pump();
      else this.#schedulePump();
    }
  }

  async #reconcile(request: R, abort: AbortController, fields: () => LogFields): Promise<Outcome> {
    const { log, events, reconciler } = this.#spec;
    const { signal } = abort;
    const context: Context = { log, signal, events };
    const stopTimers = startReconcileTimers(this.#clock, this.#spec, {
      fields,
      onTimeout: (reason) => {
        this.#observer?.failed("timeout");
        abort.abort(reason);
      },
    });
    try {
      log.debug("Reconciling");
      return outcomeOf({ result: await reconciler.reconcile(request, context) });
    } catch (error) {
      return outcomeOf({ error });
    } finally {
      stopTimers();
    }
  }

  /** What follows from each outcome of a reconcile. */
  #settle({ request, priority }: Taken<Keyed<R>>, outcome: Outcome): void {
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
}

/** Calls a function when its result is first needed, and keeps the result. */
function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
