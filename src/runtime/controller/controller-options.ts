import type { Duration, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Cache } from "../cache/cache.ts";
import type { Predicate } from "./predicate.ts";

/** Options of a controller. The manager's `controllers` option sets the defaults. */
export interface ControllerOptions {
  /** Maximum number of concurrent reconciles, each of a different object. Default: 1. */
  readonly maxConcurrentReconciles?: number | undefined;
  /** Abort the signal of a reconcile after this time and count it as a timeout. Default: none. */
  readonly reconcileTimeout?: Duration | undefined;
  /** Log a warning when a reconcile has been running for this long, and repeat it at this interval. Default: `5m`. */
  readonly stuckAfter?: Duration | undefined;
  /** Time limit for the initial lists of all watched kinds; the manager fails when it is exceeded. Default: `2m`. */
  readonly cacheSyncTimeout?: Duration | undefined;
  /** Delay before each retry of a request. */
  readonly backoff?: BackoffOptions | undefined;
  /** Run only while holding the lease. Default: true. */
  readonly needLeaderElection?: boolean | undefined;
  /** Fill the caches and the queue while waiting for the lease, so that a takeover is fast. Default: true. */
  readonly warmup?: boolean | undefined;
  /** Reconcile every object again at this interval, ±10 %, for external state that sends no events. Default: never. */
  readonly resyncPeriod?: Duration | undefined;
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
  readonly base?: Duration | undefined;
  /** Default: `1000s`. */
  readonly max?: Duration | undefined;
  /** Retries per second over all requests of the controller, with a burst of ten times as many. Default: no limit. */
  readonly retriesPerSecond?: number | undefined;
  /** Your own delay instead of `base` and `max`; they apply if it returns nothing. Default: none. */
  readonly delay?: RetryDelay | undefined;
}

/**
 * The delay before a retry of a request: `retries` is how often it was retried since its last success, starting at 0.
 * `key` identifies the request; that of an object is `namespace/name`.
 */
export type RetryDelay = (retries: number, key: string) => Duration | undefined;

/** Selects the events of a watched kind that become requests. */
export interface WatchFilter<T extends KubernetesObject> {
  /** An event must pass every predicate. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
}

/** Selects the events of a kind that a controller watches besides those of its builder. */
export interface AddedWatchFilter<T extends KubernetesObject> extends WatchFilter<T> {
  /** The cluster whose objects are watched. Default: the controller's own. */
  readonly cluster?: { readonly cache: Cache } | undefined;
}

/** Selects the events of an owned kind that become requests. */
export interface OwnsFilter<T extends KubernetesObject> extends WatchFilter<T> {
  /** Reconcile every owner of the controller's kind, not only the one that controls the object. */
  readonly everyOwner?: boolean | undefined;
}
