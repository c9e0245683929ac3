import type { DurationLike, Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { NamespacedName, ObjectKey } from "../client/client.ts";
import type { CallbackName } from "../callbacks/callbacks.ts";
import type { TimeSlices } from "../clock/time-slices.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Logger } from "../log/logger.ts";
import type { LogFields } from "../scope/scope.ts";
import type { BackoffSettings, QueueObserver } from "../queue/work-queue.ts";
import type { EventHandler, RequestMap } from "./kind-source.ts";
import type { RequestShard } from "./object-shard.ts";
import type { ReconcileResult } from "./outcome.ts";
import type { Reconciler } from "./reconciler.ts";
import type { Source } from "./source.ts";
import type { ObjectCache } from "../cache/cache.ts";
import type { Predicate } from "./predicate.ts";

/** A controller that was added to a manager. */
export interface Controller<R = NamespacedName> {
  readonly name: string;
  /** Requests that are ready to be processed, not including delayed ones. */
  readonly depth: number;
  /** Reconciles that are running. */
  readonly active: number;

  /**
   * Watches one more kind, at any time, with the options and predicates of the controller: for kinds that are known
   * only at run time. `map` returns the requests of an object, as in the builder's `watches`.
   */
  watch<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    map: RequestMap<T, R, Key>,
    filter?: AddedWatchFilter<T, Key>,
  ): AddedWatch;

  /** Watches one more kind with a function that gets each event and the queue. */
  watchEvents<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    handler: EventHandler<T, R, Key>,
    filter?: AddedWatchFilter<T, Key>,
  ): AddedWatch;

  /** Adds one more source of requests. */
  watchSource(source: Source<R>): AddedWatch;
}

/** A controller that sources can be added to. */
export interface ExtensibleController<R> extends Pick<Controller<R>, "name" | "depth" | "active"> {
  addSource(source: Source<R>): AddedWatch;
}

/** A watch that was added to a controller. */
export interface AddedWatch {
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
  /** Called when a user's function failed; counts it in the metrics. */
  readonly onCallbackError?: ((callback: CallbackName) => void) | undefined;
}

/** Options of a controller. The manager's `controllers` option sets the defaults. */
export interface ControllerOptions {
  /** Maximum number of concurrent reconciles, each of a different object. Default: 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  /** Abort the signal of a reconcile after this time and count it as a timeout. Default: none. */
  readonly reconcileTimeout?: DurationLike | undefined;
  /** Log a warning when a reconcile has been running for this long, and repeat it at this interval. Default: `5m`. */
  readonly stuckAfter?: DurationLike | undefined;
  /** Time limit for the initial lists of all watched kinds; the manager fails when it is exceeded. Default: `2m`. */
  readonly cacheSyncTimeout?: DurationLike | undefined;
  /** Delay before each retry of a request. */
  readonly backoff?: BackoffOptions | undefined;
  /** Run only while holding the lease. Default: true. */
  readonly needLeaderElection?: boolean | undefined;
  /** Fill the caches and the queue while waiting for the lease, so that a takeover is fast. Default: true. */
  readonly warmup?: boolean | undefined;
  /** Reconcile every object again at this interval, ±10 %, for external state that sends no events. Default: never. */
  readonly resyncPeriod?: DurationLike | undefined;
}

/** Defaults for all controllers of a manager. */
export interface ControllerDefaults extends ControllerOptions {
  /**
   * `maxConcurrentReconciles` by kind, for controllers that don't set it themselves: `{ "ReplicaSet.apps": 5, Pod: 10
   * }`. Takes precedence over the general default.
   */
  readonly groupKindConcurrency?: { readonly [groupKind: string]: number } | undefined;
}

/** The delay before the nth retry: `base · 2^n`, at most `max`. */
export interface BackoffOptions {
  /** Default: `5ms`. */
  readonly base?: DurationLike | undefined;
  /** Default: `1000s`. */
  readonly max?: DurationLike | undefined;
  /** Retries per second over all requests of the controller, with a burst of ten times as many. Default: no limit. */
  readonly retriesPerSecond?: number | undefined;
  /** Your own delay instead of `base` and `max`; they apply if it returns nothing. Default: none. */
  readonly delay?: RetryDelay | undefined;
}

/**
 * The delay before a retry of a request: `retries` is how often it was retried since its last success, starting at 0.
 * `key` identifies the request; that of an object is `namespace/name`.
 */
export type RetryDelay = (retries: number, key: string) => DurationLike | undefined;

/** Selects the events of a watched kind that become requests. */
export interface WatchFilter<T extends KubernetesObject, Key extends ObjectKey = ObjectKey> {
  /** An event must pass every predicate. */
  readonly predicates?: readonly Predicate<T, Key>[] | undefined;
  /**
   * The cluster may not serve the kind: then it has no objects, also in reads from the cache, until its CRD is installed.
   * Default: the manager fails after `cacheSyncTimeout`.
   */
  readonly optional?: boolean | undefined;
}

/** Selects the events of a kind that a controller watches besides those of its builder. */
export interface AddedWatchFilter<
  T extends KubernetesObject,
  Key extends ObjectKey = ObjectKey,
> extends WatchFilter<T, Key> {
  /** The cluster whose objects are watched. Default: the controller's own. */
  readonly cluster?: { readonly cache: ObjectCache } | undefined;
}

/** Selects the events of an owned kind that become requests. */
export interface OwnsFilter<
  T extends KubernetesObject,
  Key extends ObjectKey = ObjectKey,
> extends WatchFilter<T, Key> {
  /** Reconcile every owner of the controller's kind, not only the one that controls the object. */
  readonly everyOwner?: boolean | undefined;
  /**
   * Also own objects that an owner reference can't reach: those of a namespaced owner in other namespaces, or in none.
   * `Children` gives them a label and an annotation of the owner, and a finalizer of the owner deletes them with it.
   */
  readonly byLabel?: boolean | undefined;
}

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
  /** The keys that are being reconciled, or whose reconciles ended since a time of `performance.now()`. */
  workedSince(moment: number): readonly string[];
  /** The most requests that were ready, and the most reconciles that ran, since the last call. */
  takePeak(): { readonly queued: number; readonly active: number };
  observe(observer: ControllerObserver): void;
}
