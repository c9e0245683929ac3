import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Cache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import type { ControllerBuilder, RequestControllerBuilder } from "../controller/controller-builder.ts";
import type { WatchFilter } from "../controller/controller-spec.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { Logger } from "../log/logger.ts";

/**
 * A cluster that controllers work on: the manager's own, which is the manager itself, or one that was added to it. A
 * setup function that takes a `Cluster` works for both.
 */
export interface Cluster {
  /** Reads from the cache and writes to the server. `client.with({ live: true })` also reads from the server. */
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
  /** Records Events outside of a reconcile, which has a recorder in its context. */
  readonly events: EventRecorder;

  /** How to reach the cluster, and as whom; loaded once. */
  config(): Promise<ClusterConfig>;

  /** Starts building the controller of a kind; `complete` adds it. */
  controllerFor<T extends KubernetesObject>(kind: Kind<T>, filter?: WatchFilter<T>): ControllerBuilder<T>;

  /** Starts building a controller whose requests aren't object keys; requests with the same `keyOf` are the same. */
  controllerOf<R>(keyOf: (request: R) => string): RequestControllerBuilder<R>;
}

/** A cluster besides the manager's own. */
export interface MemberCluster extends Cluster {
  /** The name that it was added with: it is in each log line, and begins the names of its controllers. */
  readonly name: string;

  /**
   * Stops the controllers, the cache and the connections of this cluster; resolves when its running reconciles have
   * ended, or after the manager's `gracefulShutdownTimeout`.
   */
  remove(): Promise<void>;
}
