import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { CallbackName } from "../callbacks/callbacks.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { TimeSlices } from "../clock/time-slices.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Logger } from "../log/logger.ts";
import type { LogFields } from "../scope/scope.ts";
import type { BackoffSettings, QueueObserver } from "../queue/work-queue.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { AddedWatchFilter, RetryDelay } from "./controller-options.ts";
import type { EventHandler, RequestMap } from "./kind-source.ts";
import type { RequestShard } from "./object-shard.ts";
import type { Reconciler, Request } from "./reconciler.ts";
import type { Source } from "./source.ts";

/** A controller that was added to a manager. */
export interface Controller<R = Request> {
  readonly name: string;
  /** Requests that are ready to be processed, not including delayed ones. */
  readonly depth: number;
  /** Reconciles that are running. */
  readonly active: number;

  /**
   * Watches one more kind, at any time, with the options and predicates of the controller: for kinds that are known
   * only at run time. `map` returns the requests of an object, as in the builder's `watches`.
   */
  watch<T extends KubernetesObject>(
    kind: Kind<T>,
    map: RequestMap<T, R>,
    filter?: AddedWatchFilter<T>,
  ): Watch;

  /** Watches one more kind with a function that gets each event and the queue. */
  watchEvents<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: EventHandler<T, R>,
    filter?: AddedWatchFilter<T>,
  ): Watch;

  /** Adds one more source of requests. */
  watchSource(source: Source<R>): Watch;
}

/** A controller that sources can be added to. */
export interface ExtensibleController<R> extends Pick<Controller<R>, "name" | "depth" | "active"> {
  addSource(source: Source<R>): Watch;
}

/** A watch that was added to a controller. */
export interface Watch {
  /**
   * Resolves when the initial requests are enqueued, or the watch was stopped. Rejects if that takes longer than
   * `cacheSyncTimeout`, which is also logged; the watch of a kind goes on trying.
   */
  readonly synced: Promise<void>;

  /** Ends the requests. The objects of its kind remain in the cache, for others, until `cache.remove(kind)`. */
  stop(): void;
}

/** The parts and settings of a controller; times in milliseconds. */
export interface ControllerSpec<R> {
  readonly name: string;
  readonly keyOf: (request: R) => string;
  /** Log fields that identify a request. */
  readonly describe: (request: R) => LogFields;
  readonly sources: readonly Source<R>[];
  readonly reconciler: Reconciler<R>;
  readonly maxConcurrentReconciles: number;
  readonly reconcileTimeout: number | undefined;
  readonly stuckAfter: number;
  /** Undefined to wait without end. */
  readonly cacheSyncTimeout: number | undefined;
  readonly backoff: Omit<BackoffSettings, "delay"> & { readonly delay?: RetryDelay | undefined };
  readonly log: Logger;
  readonly events: EventRecorder;
  /** Which requests are this process's, if several share them. */
  readonly shard?: RequestShard<R> | undefined;
  readonly clock?: Clock | undefined;
  /** Shared with all other work of the manager. Default: its own. */
  readonly slices?: TimeSlices | undefined;
  readonly tracing?: Tracing | undefined;
  /** Called when a user's function failed; counts it in the metrics. */
  readonly onCallbackError?: ((callback: CallbackName) => void) | undefined;
}

/** The label `result` of `controller_runtime_reconcile_total`, with controller-runtime's values. */
export type ReconcileResult = "success" | "requeue_after" | "requeue" | "error";

/** Is notified of what a controller does; updates the metrics. */
export interface ControllerObserver extends QueueObserver {
  reconciled(result: ReconcileResult, milliseconds: number): void;
  failed(kind: "error" | "terminal" | "panic" | "timeout"): void;
}

/** The state of a controller that metrics read. */
export interface ObservedController extends Pick<Controller, "name" | "depth" | "active"> {
  readonly workers: number;
  readonly queue: { readonly depths: ReadonlyMap<number, number>; readonly failing: number };
  /** How long each running reconcile has taken so far. */
  readonly workingSeconds: readonly number[];
}

/** A controller that an observer can be attached to. */
export interface MeasurableController extends ObservedController {
  /** The keys being reconciled, and those whose last reconcile ended after a time of `performance.now()`. */
  workedSince(moment: number): readonly string[];
  observe(observer: ControllerObserver): void;
}
