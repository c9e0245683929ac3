import type { Duration, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Predicate } from "./predicate.ts";

/** How a controller runs. The manager's `controllers` option sets other defaults for all. */
export interface ControllerOptions {
  /** Reconciles that may run at once, each for another object; 1 unless said otherwise. */
  readonly maxConcurrentReconciles?: number | undefined;
  /** Abort the signal of a reconcile after this time, and count it; never unless given. */
  readonly reconcileTimeout?: Duration | undefined;
  /** Say it when a reconcile has run for this long, and again after each such time; 5m unless said otherwise. */
  readonly stuckAfter?: Duration | undefined;
  /** How long the first lists of all watched kinds may take; 2m unless said otherwise. Then the manager fails. */
  readonly cacheSyncTimeout?: Duration | undefined;
  /** Wait before each retry of one request. */
  readonly backoff?: BackoffOptions | undefined;
  /** Run only where the lease is held; true unless said otherwise. */
  readonly needLeaderElection?: boolean | undefined;
  /** Fill the caches and the queue while waiting for the lease, so that taking over is fast; true unless said otherwise. */
  readonly warmup?: boolean | undefined;
  /** Tell every object again after this time, ±10 %: for worlds that change without an event. Never unless given. */
  readonly resyncPeriod?: Duration | undefined;
}

/** Defaults for all controllers of a manager. */
export interface ControllerDefaults extends ControllerOptions {
  /**
   * `maxConcurrentReconciles` by kind, for controllers that don't say it themselves: `{ "ReplicaSet.apps": 5, Pod: 10 }`.
   * It wins over the default for all.
   */
  readonly groupKindConcurrency?: { readonly [groupKind: string]: number } | undefined;
}

/** How long to wait before the nth retry: `base · 2^n`, at most `max`. */
export interface BackoffOptions {
  /** `5ms` unless said otherwise. */
  readonly base?: Duration | undefined;
  /** `1000s` unless said otherwise. */
  readonly max?: Duration | undefined;
  /** Retries per second over all requests of the controller, after a burst of ten times as many; no limit unless given. */
  readonly retriesPerSecond?: number | undefined;
}

/** Which events of a watched kind become requests. */
export interface WatchFilter<T extends KubernetesObject> {
  /** All of them must accept the event. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
}

/** Which events of an owned kind become requests. */
export interface OwnsFilter<T extends KubernetesObject> extends WatchFilter<T> {
  /** Ask for every owner of the controller's kind, not only the one that controls the object. */
  readonly everyOwner?: boolean | undefined;
}
