import type { ServerResponse } from "node:http";
import { hostname } from "node:os";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import type { Cache } from "../cache/cache.ts";
import { createCache } from "../cache/create-cache.ts";
import { createCachedClient } from "../client/cached-client.ts";
import type { Client } from "../client/client.ts";
import type { ClusterConfig } from "../client/config.ts";
import { createClient, type LiveClient } from "../client/live-client.ts";
import { loadConfig } from "../client/load-config.ts";
import { TerminalError } from "../client/terminal-error.ts";
import { type Clock, systemClock } from "../clock/clock.ts";
import { type Controller, ControllerEngine, type MeasurableController } from "../controller/controller.ts";
import {
  type BuiltController,
  ControllerBuilder,
  type ControllerHost,
  RequestControllerBuilder,
} from "../controller/controller-builder.ts";
import type { WatchFilter } from "../controller/controller-options.ts";
import type { RuntimeMetrics } from "../metrics/runtime-metrics.ts";
import { debugHandlers } from "../metrics/debug-handlers.ts";
import { MetricsServer } from "../metrics/metrics-server.ts";
import { parseBindAddress } from "./bind-address.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import { ApiEventRecorder } from "../events/api-event-recorder.ts";
import { type HealthCheck, HealthChecks } from "../health/health-checks.ts";
import { fence, makeElector } from "../leader-election/make-elector.ts";
import { createLogger } from "../log/create-logger.ts";
import type { Logger } from "../log/logger.ts";
import { WebhookBuilder } from "../webhook/webhook-builder.ts";
import { WebhookServer } from "../webhook/webhook-server.ts";
import type { FlagDefinitions, FlagValues } from "./flags.ts";
import { Lifecycle } from "./lifecycle.ts";
import { type ManagerArgs, optionsFromArgs } from "./manager-args.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { runAsProcess } from "./own-process.ts";
import { ProbeServer } from "./probe-server.ts";
import type { Runnable } from "./runnable.ts";

/**
 * Runs controllers, webhooks and whatever else an operator consists of, on one client and one cache: starts them in
 * order, keeps them to the process that holds the lease, and stops them within a deadline.
 */
export class Manager<Flags extends FlagDefinitions = {}> {
  /** The values of the flags that were defined besides the manager's own. */
  readonly flags: FlagValues<Flags>;
  /** Reads from the cache and writes to the server. `client.with({ live: true })` reads from the server too. */
  readonly client: Client;
  readonly cache: Cache;
  readonly log: Logger;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #live: LiveClient;
  readonly #background: LiveClient;
  readonly #webhooks: WebhookServer;
  #metrics: RuntimeMetrics | undefined;
  readonly #healthChecks = new HealthChecks();
  readonly #readyChecks = new HealthChecks();
  readonly #probes: ProbeServer;
  readonly #metricsServer: MetricsServer;
  readonly #events: ApiEventRecorder;
  readonly #controllers = new Map<string, MeasurableController>();
  readonly #lifecycle: Lifecycle;

  /**
   * Makes a manager from the command line, the environment and what is said here. Prints the flags for `--help`, and
   * what is wrong with a command line; either ends the process, which the manager takes for its own.
   */
  static fromArgs<Flags extends FlagDefinitions = {}>(args: ManagerArgs<Flags>): Manager<Flags> {
    const { options, flags } = optionsFromArgs(args);
    return new Manager<Flags>(options, flags);
  }

  constructor(options: ManagerOptions, flags?: FlagValues<Flags>) {
    const { name, clock = systemClock, logger: log = createLogger(), leaderElection } = options;
    this.#options = options;
    this.#clock = clock;
    this.flags = flags ?? ({} as FlagValues<Flags>);
    this.log = log;
    const config = once(options.config ?? (() => loadConfig()));
    // Leases and events have connections of their own: a busy operator must not delay a renewal.
    this.#background = createClient(config, { userAgent: `${name}/leader-election`, fieldManager: name });
    const events = new ApiEventRecorder({
      client: this.#background,
      reportingController: name,
      reportingInstance: `${name}-${hostname()}`,
      log,
      clock,
    });
    this.#events = events;
    const elector =
      leaderElection &&
      makeElector(leaderElection, config, {
        client: this.#background,
        clock,
        log,
        events,
        onStatus: (isLeading) => this.#metrics?.leading(leaderElection.id, isLeading),
      });
    this.#live = createClient(config, {
      userAgent: name,
      fieldManager: name,
      onWarning: ({ text, request }) => log.warn(text, { request }),
      onRequest: (report) => this.#metrics?.request(report),
      interceptors: elector ? [fence(elector)] : [],
    });
    this.cache = createCache(this.#live, {
      onError: (error, { kind }) => log.error("Watch failed, trying again", { kind: kind.kind, error }),
      onWarning: (text, { kind }) => log.warn(text, { kind: kind.kind }),
      ...options.cache,
    });
    this.client = createCachedClient(this.#live, this.cache);
    this.#webhooks = new WebhookServer({ options: options.webhooks ?? {}, log, clock });
    this.#readyChecks.add("informer-sync", () => this.#checkInformers());
    this.#readyChecks.add("webhook", () => this.#webhooks.check());
    this.#probes = new ProbeServer(
      options.healthProbeBindAddress ?? "0",
      { "/healthz": this.#healthChecks, "/readyz": this.#readyChecks },
      log,
    );
    const { metrics = {} } = options;
    this.#metricsServer = new MetricsServer({
      options: metrics,
      client: this.#live,
      clock,
      log,
      handlers: {
        "/metrics": (_request, response) => this.#sendMetrics(response),
        ...(metrics.debug === true && debugHandlers(log)),
        ...metrics.handlers,
      },
    });
    this.#lifecycle = new Lifecycle({
      log,
      clock,
      prepare: async () => {
        await config();
        if (parseBindAddress(metrics.bindAddress ?? "0")) await this.#measure();
      },
      servers: [this.#probes, this.#metricsServer],
      webhooks: this.#webhooks,
      cache: this.cache,
      elector,
      events,
      gracefulShutdownTimeout: parseDuration(options.gracefulShutdownTimeout ?? "30s"),
    });
  }

  /**
   * Resolves when everything runs and the controllers have seen what is there: in a process that waits for the lease,
   * when it got it. Rejects if the manager stops before.
   */
  get started(): Promise<void> {
    return this.#lifecycle.started;
  }

  /** Where the servers listen; undefined for those that don't. */
  get addresses(): { readonly [server in "probes" | "metrics" | "webhooks"]: string | undefined } {
    return {
      probes: this.#probes.address,
      metrics: this.#metricsServer.address,
      webhooks: this.#webhooks.address,
    };
  }

  /** Records events outside of a reconcile, which has a recorder in its context. */
  get events(): EventRecorder {
    return this.#events;
  }

  /** Begins the controller of a kind; `complete` adds it. */
  controllerFor<T extends KubernetesObject>(kind: Kind<T>, filter?: WatchFilter<T>): ControllerBuilder<T> {
    return new ControllerBuilder(this.#host, kind, filter);
  }

  /** Begins a controller whose requests are no keys of objects; `keyOf` says which of them are the same. */
  controllerOf<R>(keyOf: (request: R) => string): RequestControllerBuilder<R> {
    return new RequestControllerBuilder(this.#host, keyOf);
  }

  /** Begins the webhooks of a kind; `complete` adds them. */
  webhookFor<T extends KubernetesObject>(kind: Kind<T>): WebhookBuilder<T> {
    return new WebhookBuilder(this.#webhooks, kind);
  }

  /** Adds something else that runs as long as the manager. Throws a `TerminalError` once the manager stops. */
  add(runnable: Runnable): void {
    this.#lifecycle.add(runnable);
  }

  /** Adds a check to `/healthz`: if it fails for long, the kubelet restarts the container. */
  addHealthCheck(name: string, check: HealthCheck): void {
    this.#healthChecks.add(name, check);
  }

  /** Adds a check to `/readyz`: while it fails, no service sends requests here. */
  addReadyCheck(name: string, check: HealthCheck): void {
    this.#readyChecks.add(name, check);
  }

  /**
   * Runs until the signal is aborted, `stop` is called, or something fails, and resolves when everything has stopped.
   * Rejects with what failed, an `AggregateError` if it was more than one thing. A manager starts once.
   */
  async start(signal?: AbortSignal): Promise<void> {
    const stop = () => this.stop();
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      if (this.#options.ownsProcess) await runAsProcess(this.log, this.#lifecycle);
      else await this.#lifecycle.run();
    } finally {
      signal?.removeEventListener("abort", stop);
      await Promise.all([this.#live.close(), this.#background.close()]);
    }
  }

  /** Begins to stop; `start` resolves when that is done. */
  stop(): void {
    this.#lifecycle.stop();
  }

  get #host(): ControllerHost {
    return {
      client: this.client,
      cache: this.cache,
      controllerDefaults: this.#options.controllers ?? {},
      addController: (spec) => this.#addController(spec),
    };
  }

  #addController<R>({ logFields, needLeaderElection, warmup, ...spec }: BuiltController<R>): Controller {
    const { name } = spec;
    if (this.#controllers.has(name))
      throw new TerminalError(
        `there are two controllers named "${name}": give one another name with named()`,
      );
    const engine = new ControllerEngine<R>({
      ...spec,
      log: this.log.with(logFields),
      events: this.events,
      clock: this.#clock,
    });
    this.#controllers.set(name, engine);
    if (this.#metrics) engine.observe(this.#metrics.controllers.observe(engine));
    this.#lifecycle.add({
      name: `controller ${name}`,
      needLeaderElection,
      start: ({ signal, deadline }) => engine.run(signal, deadline),
      ...(warmup && { warmUp: (signal: AbortSignal) => engine.warmUp(signal) }),
    });
    return engine;
  }

  /** Metrics cost memory and time to load: an operator that serves none has none. */
  async #measure(): Promise<void> {
    const { RuntimeMetrics } = await import("../metrics/runtime-metrics.ts");
    const metrics = new RuntimeMetrics({ cache: this.cache, droppedEvents: () => this.#events.dropped });
    this.#metrics = metrics;
    this.#webhooks.observer = metrics.webhooks;
    const { leaderElection } = this.#options;
    if (leaderElection) metrics.leading(leaderElection.id, false);
    for (const engine of this.#controllers.values()) engine.observe(metrics.controllers.observe(engine));
  }

  async #sendMetrics(response: ServerResponse): Promise<void> {
    if (!this.#metrics) throw new Error("metrics are served before they are counted");
    const text = await this.#metrics.text();
    response.writeHead(200, { "content-type": this.#metrics.contentType }).end(text);
  }

  #checkInformers(): void {
    const behind = this.cache.informers.find(
      ({ hasSynced, stats }) =>
        !hasSynced || (stats.lastError as { isForbidden?: boolean } | undefined)?.isForbidden,
    );
    if (behind)
      throw behind.stats.lastError ?? new Error(`the ${behind.kind.kind} objects are still being listed`);
  }
}

/** One process talks to one cluster: the config is looked for once, however many clients ask. */
function once(config: ClusterConfig | (() => Promise<ClusterConfig>)): () => Promise<ClusterConfig> {
  let found: Promise<ClusterConfig> | undefined;
  return () => (found ??= typeof config === "function" ? config() : Promise.resolve(config));
}
