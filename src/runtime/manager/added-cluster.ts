import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Cache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import { ControllerBuilder, RequestControllerBuilder } from "../controller/controller-builder.ts";
import type { WatchFilter } from "../controller/controller-options.ts";
import type { ApiEventRecorder } from "../events/api-event-recorder.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { Logger } from "../log/logger.ts";
import type { MemberCluster } from "./cluster.ts";
import { ControllerSet, type ControllerSetParts } from "./controller-set.ts";
import { aborted } from "./runnable-group.ts";
import type { WarmRunnable } from "./lifecycle.ts";

/** The parts of a cluster that was added; times in milliseconds. */
export interface AddedClusterParts
  extends Pick<ControllerSetParts, "measurements" | "tracing">,
    Pick<ControllerSet, "controllerDefaults"> {
  readonly config: () => Promise<ClusterConfig>;
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: ApiEventRecorder;
  /** What runs with the manager. */
  readonly lifecycle: { add(runnable: WarmRunnable): void };
  /** 0 for none, negative for no limit. */
  readonly gracefulShutdownTimeout: number;
  /** Closes the connections. */
  readonly close: () => Promise<void>;
  readonly onRemoved: () => void;
}

/** How long the last Events of a cluster may take, in milliseconds. */
const eventsTimeout = 1000;

/**
 * A cluster besides the manager's own. Its controllers have queues and workers of their own, so a cluster that doesn't
 * answer delays no other; and the manager neither waits for it nor fails with it.
 */
export class AddedCluster implements MemberCluster {
  readonly name: string;
  readonly #parts: AddedClusterParts;
  readonly #controllers: ControllerSet;
  readonly #removed = new AbortController();
  readonly #deadline = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #end: Promise<void> | undefined;
  #isStarted = false;

  constructor(name: string, parts: AddedClusterParts) {
    this.name = name;
    this.#parts = parts;
    const { client, cache, controllerDefaults, lifecycle } = parts;
    this.#controllers = new ControllerSet(
      { client, cache, controllerDefaults, cluster: name },
      { ...parts, lifecycle: { add: (runnable) => lifecycle.add(this.#untilRemoved(runnable)) } },
    );
    lifecycle.add({
      name: `cluster ${name}`,
      needLeaderElection: false,
      start: ({ signal, deadline }) => this.#run(signal, deadline),
    });
  }

  get client(): Client {
    return this.#parts.client;
  }

  get cache(): Cache {
    return this.#parts.cache;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  get log(): Logger {
    return this.#parts.log;
  }

  get events(): ApiEventRecorder {
    return this.#parts.events;
  }

  config(): Promise<ClusterConfig> {
    return this.#parts.config();
  }

  controllerFor<T extends KubernetesObject>(kind: Kind<T>, filter?: WatchFilter<T>): ControllerBuilder<T> {
    return new ControllerBuilder(this.#controllers, kind, filter);
  }

  controllerOf<R>(keyOf: (request: R) => string): RequestControllerBuilder<R> {
    return new RequestControllerBuilder(this.#controllers, keyOf);
  }

  remove(): Promise<void> {
    if (!this.#removed.signal.aborted) {
      this.#removed.abort();
      const { clock, gracefulShutdownTimeout: time } = this.#parts;
      const expire = () => this.#deadline.abort(new DOMException("the time to stop is over", "TimeoutError"));
      const cancel = time < 0 ? () => {} : clock.setTimer(expire, time);
      if (!this.#isStarted) this.#end = this.#close();
      void this.#end?.finally(cancel);
    }
    return this.#end ?? Promise.resolve();
  }

  /** Runs the cache and the connections, which must outlive the controllers. */
  #run(signal: AbortSignal, deadline: AbortSignal): Promise<void> {
    this.#isStarted = true;
    if (this.#removed.signal.aborted) return Promise.resolve();
    this.#parts.cache.start();
    this.#end = aborted(AbortSignal.any([signal, this.#removed.signal])).then(async () => {
      const late = AbortSignal.any([deadline, this.#deadline.signal]);
      await Promise.race([Promise.all(this.#running), aborted(late)]);
      await this.#close(late);
    });
    return this.#end;
  }

  /** A controller ends with its cluster, or with the manager, which waits neither for its warm-up nor for its start. */
  #untilRemoved(controller: WarmRunnable): WarmRunnable {
    const { name, needLeaderElection } = controller;
    return {
      name,
      needLeaderElection,
      warmUp: async (signal) => {
        controller.warmUp?.(AbortSignal.any([signal, this.#removed.signal])).catch(this.#ignore);
      },
      start: async ({ signal, deadline, log }) => {
        if (this.#removed.signal.aborted) return;
        const running = Promise.resolve(
          controller.start({
            signal: AbortSignal.any([signal, this.#removed.signal]),
            deadline: AbortSignal.any([deadline, this.#deadline.signal]),
            log,
          }),
        );
        const ended = running.catch(this.#ignore);
        this.#running.add(ended);
        void ended.then(() => this.#running.delete(ended));
        await running;
      },
    };
  }

  /** A failure also rejects the start, which the manager reports. */
  readonly #ignore = (): void => {};

  async #close(deadline = AbortSignal.abort()): Promise<void> {
    const { clock, cache, events, close, onRemoved } = this.#parts;
    this.#controllers.forget();
    await cache.stop();
    // A cluster that doesn't answer must not delay the release of the lease.
    const soon = new AbortController();
    const cancel = clock.setTimer(() => soon.abort(), eventsTimeout);
    await events.stop(AbortSignal.any([deadline, soon.signal]));
    cancel();
    await close();
    onRemoved();
  }
}
