import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ObjectCache } from "../cache/cache.ts";
import type { Client, ObjectKey } from "../client/client.ts";
import { ControllerBuilder, RequestControllerBuilder } from "../controller/controller-builder.ts";
import type { WatchFilter } from "../controller/controller-spec.ts";
import type { ApiEventRecorder, EventRecorder } from "../events/event-recorder.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { Logger } from "../log/logger.ts";
import { aborted, onAbort, withTimeout } from "../clock/waits.ts";
import { TerminalError } from "../errors/api-error.ts";
import type { ConfigSource } from "../http/http-transport.ts";
import { ControllerSet, type ControllerSetParts } from "./controller-set.ts";
import type { WarmRunnable } from "./lifecycle.ts";

/**
 * A cluster that controllers work on: the manager's own, which is the manager itself, or one that was added to it. A
 * setup function that takes a `Cluster` works for both.
 */
export interface Cluster {
  /** Reads from the cache and writes to the server. `client.with({ live: true })` also reads from the server. */
  readonly client: Client;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly log: Logger;
  /** Records Events outside of a reconcile, which has a recorder in its context. */
  readonly events: EventRecorder;

  /** How to reach the cluster, and as whom; loaded once. */
  config(): Promise<ClusterConfig>;

  /** Starts building the controller of a kind; `complete` adds it. */
  controllerFor<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    filter?: WatchFilter<T, Key>,
  ): ControllerBuilder<T, Key>;

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

/** The parts of a cluster that was added; times in milliseconds. */
export interface AddedClusterParts
  extends
    Pick<ControllerSetParts, "measurements" | "slices" | "conditions">,
    Pick<ControllerSet, "controllerDefaults"> {
  readonly config: () => Promise<ClusterConfig>;
  readonly client: Client;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: ApiEventRecorder;
  /** Starts and stops runnables with the manager. */
  readonly lifecycle: { add(runnable: WarmRunnable): void; forget(runnable: WarmRunnable): void };
  /** 0 for none, negative for no limit. */
  readonly gracefulShutdownTimeout: number;
  /** Closes the connections. */
  readonly close: () => Promise<void>;
  readonly onRemoved: () => void;
}

/** Milliseconds for sending the last Events of a cluster and closing its connections. */
const closeTimeout = 1000;

/**
 * A cluster besides the manager's own. Its controllers have queues and workers of their own, so a cluster that doesn't
 * answer delays no other; and the manager neither waits for it nor fails with it.
 */
export class AddedCluster implements MemberCluster {
  readonly name: string;
  readonly client: Client;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: ApiEventRecorder;
  readonly #parts: AddedClusterParts;
  readonly #controllers: ControllerSet;
  readonly #removed = new AbortController();
  readonly #deadline = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #runnables: WarmRunnable[] = [];
  #ended: Promise<void> | undefined;
  #isStarted = false;

  constructor(name: string, parts: AddedClusterParts) {
    this.name = name;
    this.client = parts.client;
    this.cache = parts.cache;
    this.clock = parts.clock;
    this.log = parts.log;
    this.events = parts.events;
    this.#parts = parts;
    const { client, cache, controllerDefaults } = parts;
    this.#controllers = new ControllerSet(
      { client, cache, controllerDefaults, cluster: name },
      { ...parts, lifecycle: { add: (runnable) => this.#add(this.#untilRemoved(runnable)) } },
    );
    this.#add({
      name: `cluster ${name}`,
      needLeaderElection: false,
      start: ({ signal, deadline }) => this.#run(signal, deadline),
    });
  }

  config(): Promise<ClusterConfig> {
    return this.#parts.config();
  }

  controllerFor<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    filter?: WatchFilter<T, Key>,
  ): ControllerBuilder<T, Key> {
    return new ControllerBuilder(this.#controllers, kind, filter);
  }

  controllerOf<R>(keyOf: (request: R) => string): RequestControllerBuilder<R> {
    return new RequestControllerBuilder(this.#controllers, keyOf);
  }

  remove(): Promise<void> {
    if (!this.#removed.signal.aborted) {
      this.#removed.abort();
      const { clock, gracefulShutdownTimeout } = this.#parts;
      const expire = () => this.#deadline.abort(new DOMException("the time to stop is over", "TimeoutError"));
      const cancel = gracefulShutdownTimeout < 0 ? () => {} : clock.setTimer(expire, gracefulShutdownTimeout);
      if (!this.#isStarted) this.#ended = this.#close();
      void this.#ended?.finally(cancel);
    }
    return this.#ended ?? Promise.resolve();
  }

  #add(runnable: WarmRunnable): void {
    this.#parts.lifecycle.add(runnable);
    this.#runnables.push(runnable);
  }

  /** Runs the cache and the connections, which must outlive the controllers. */
  #run(signal: AbortSignal, deadline: AbortSignal): Promise<void> {
    this.#isStarted = true;
    if (this.#removed.signal.aborted) return Promise.resolve();
    const removeListeners = [
      onAbort(signal, () => this.#removed.abort()),
      onAbort(deadline, () => this.#deadline.abort(deadline.reason)),
    ];
    this.#parts.cache.start();
    this.#ended = aborted(this.#removed.signal).then(async () => {
      await Promise.race([Promise.all(this.#running), aborted(this.#deadline.signal)]);
      await this.#close();
      for (const removeListener of removeListeners) removeListener();
    });
    return this.#ended;
  }

  /** Returns a controller that ends with its cluster, delays no start of the manager, and fails alone. */
  #untilRemoved(controller: WarmRunnable): WarmRunnable {
    const { name, needLeaderElection } = controller;
    const signal = this.#removed.signal;
    return {
      name,
      needLeaderElection,
      warmUp: async () => {
        controller.warmUp?.(signal).catch(() => {});
      },
      start: async ({ log }) => {
        if (signal.aborted) return;
        const running = (async () => {
          try {
            await controller.start({ signal, deadline: this.#deadline.signal, log });
          } catch (error) {
            if (!signal.aborted)
              this.log.error("A controller of this cluster failed, and ends", { name, error });
          }
        })();
        this.#running.add(running);
        await running;
        this.#running.delete(running);
      },
    };
  }

  /** Closes the cluster, within a time: one that doesn't answer must not delay the release of the lease. */
  async #close(): Promise<void> {
    const { clock, lifecycle, log, onRemoved } = this.#parts;
    this.#controllers.forget();
    for (const runnable of this.#runnables) lifecycle.forget(runnable);
    await withTimeout(clock, closeTimeout, this.#deadline.signal, async (late) => {
      const closing = this.#closeParts(late).catch((error: unknown) =>
        log.error("Closing the cluster failed", { error }),
      );
      await Promise.race([closing, aborted(late)]);
    });
    onRemoved();
  }

  async #closeParts(late: AbortSignal): Promise<void> {
    const { cache, events, close } = this.#parts;
    await cache.stop();
    await events.stop(late);
    await close();
  }
}

/** The clusters besides the manager's own, by name. */
export class ClusterSet {
  /** Makes a cluster, which calls `onRemoved` at its end. */
  readonly #make: (name: string, config: ConfigSource, onRemoved: () => void) => MemberCluster;
  readonly all = new Map<string, MemberCluster>();

  constructor(make: (name: string, config: ConfigSource, onRemoved: () => void) => MemberCluster) {
    this.#make = make;
  }

  add(name: string, config: ConfigSource): MemberCluster {
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name))
      throw new TerminalError(`a cluster is named "${name}": use lower case letters, digits, "-" and "."`);
    if (this.all.has(name))
      throw new TerminalError(`there is a cluster "${name}" already: remove it first, or use another name`);
    const cluster = this.#make(name, config, () => this.all.delete(name));
    this.all.set(name, cluster);
    return cluster;
  }

  async removeAll(): Promise<void> {
    await Promise.all([...this.all.values()].map((cluster) => cluster.remove()));
  }
}
