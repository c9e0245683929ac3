// The manager: what `main` creates, adds controllers and webhooks to, and starts. `manager-parts.ts` creates everything
// below it from the options, `lifecycle.ts` starts and stops it in order, `manager-args.ts` reads the command line, and
// `process-watch.ts` watches the event loop.

import process from "node:process";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ObjectCache } from "../cache/cache.ts";
import type { Client, ObjectKey } from "../client/client.ts";
import { onAbort } from "../clock/waits.ts";
import { ControllerBuilder, RequestControllerBuilder } from "../controller/controller-builder.ts";
import type { WatchFilter } from "../controller/controller-spec.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { HealthCheck } from "../health/health-checks.ts";
import type { LeveledLogger, Logger } from "../log/logger.ts";
import type { AdmissionWebhook } from "../webhook/webhooks.ts";
import { admitRaw } from "../webhook/admit.ts";
import { WebhookBuilder } from "../webhook/webhook-builder.ts";
import type { Cluster, MemberCluster } from "./cluster.ts";
import { type FlagDefinitions, type FlagValues, type ManagerArgs, optionsFromArgs } from "./manager-args.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { type ManagerParts, makeManagerParts } from "./manager-parts.ts";
import type { Runnable } from "./lifecycle.ts";
import { type ScheduledWork, scheduledRunnable } from "./scheduled-work.ts";
import { migrateStorage } from "./migrate-storage.ts";
import type { StorageMigrationOptions } from "../storage-migration/storage-migration.ts";
import { isProgrammingError } from "../callbacks/callbacks.ts";
import type { ConditionExportOptions } from "../metrics/condition-metrics.ts";
import type { FlightRecorder } from "../recorder/flight-recorder.ts";
import { readMemoryLimits, warnOfLooseHeap } from "../metrics/memory-limits.ts";

/**
 * Runs controllers, webhooks and other parts of an operator with one client and one cache. Starts them in order, runs
 * what needs the lease only while holding it, and stops everything within a deadline. It is a `Cluster` itself.
 */
export class Manager<Flags extends FlagDefinitions = {}> implements Cluster {
  /** The values of custom flags, besides the manager's own. */
  readonly flags: FlagValues<Flags>;
  readonly #parts: ManagerParts;
  readonly #ownsProcess: boolean;

  /**
   * Creates a manager from the command line, the environment and the arguments. Prints the flags for `--help`, and an
   * error for an invalid command line; both end the process, which the manager owns.
   */
  static fromArgs<Flags extends FlagDefinitions = {}>(args: ManagerArgs<Flags>): Manager<Flags> {
    const { options, flags } = optionsFromArgs(args);
    return new Manager<Flags>(options, flags);
  }

  constructor(options: ManagerOptions, flags?: FlagValues<Flags>) {
    this.flags = flags ?? ({} as FlagValues<Flags>);
    this.#parts = makeManagerParts(options);
    this.#ownsProcess = options.ownsProcess ?? false;
  }

  config(): Promise<ClusterConfig> {
    return this.#parts.config();
  }

  get client(): Client {
    return this.#parts.client;
  }

  get cache(): ObjectCache {
    return this.#parts.cache;
  }

  /** The clock of the manager: the system time, or one that a test moves. Pass it to `setCondition` and `Children`. */
  get clock(): Clock {
    return this.#parts.clock;
  }

  get log(): Logger {
    return this.#parts.log;
  }

  get events(): EventRecorder {
    return this.#parts.events;
  }

  /** The addresses of the servers; undefined for those that don't listen. */
  get addresses(): {
    readonly [server in "probes" | "metrics" | "webhooks" | "recorder"]: string | undefined;
  } {
    const { probes, metricsServer, webhooks, recorder } = this.#parts;
    return {
      probes: probes.address,
      metrics: metricsServer.address,
      webhooks: webhooks.address,
      recorder: recorder.address,
    };
  }

  /**
   * Resolves when everything runs and the controllers have enqueued the existing objects. With leader election, that is
   * after this process became the leader. Rejects if the manager stops before.
   */
  get started(): Promise<void> {
    return this.#parts.lifecycle.started;
  }

  /** True if no request is ready or being reconciled. Delayed requests don't count. */
  get isIdle(): boolean {
    return this.#parts.isIdle();
  }

  controllerFor<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    filter?: WatchFilter<T, Key>,
  ): ControllerBuilder<T, Key> {
    return new ControllerBuilder(this.#parts.controllers, kind, filter);
  }

  controllerOf<R>(keyOf: (request: R) => string): RequestControllerBuilder<R> {
    return new RequestControllerBuilder(this.#parts.controllers, keyOf);
  }

  /**
   * Adds another cluster, at any time: its controllers run until it is removed or the manager stops. The manager
   * doesn't wait for a cluster that can't be reached, and is ready without it.
   */
  addCluster(name: string, config: ClusterConfig | (() => Promise<ClusterConfig>)): MemberCluster {
    return this.#parts.clusters.add(name, config);
  }

  /** The clusters that were added, by name. */
  get clusters(): ReadonlyMap<string, MemberCluster> {
    return this.#parts.clusters.all;
  }

  /** Starts building the webhooks of a kind; `complete` adds them. */
  webhookFor<T extends KubernetesObject>(kind: Kind<T>): WebhookBuilder<T> {
    return new WebhookBuilder(this.#parts.webhooks, kind);
  }

  /**
   * Serves a webhook at a path, for requests of any kind, subresource and operation that a webhook configuration sends
   * there. Throws a `TerminalError` if the path is already used.
   */
  webhookAt<Body extends object = KubernetesObject>(path: string, webhook: AdmissionWebhook<Body>): void {
    const { webhooks } = this.#parts;
    webhooks.admit(path, admitRaw(webhook, webhooks.log));
  }

  /** Adds a runnable that starts and stops with the manager. Throws a `TerminalError` once the manager stops. */
  add(runnable: Runnable): void {
    this.#parts.lifecycle.add(runnable);
  }

  /**
   * Runs work at an interval or at the times of a cron expression, on the manager's clock, and only while holding the
   * lease. Throws a `TerminalError` if the times are invalid.
   */
  schedule(work: ScheduledWork): void {
    const { clock, report } = this.#parts;
    this.add(scheduledRunnable(work, clock, report));
  }

  /**
   * Stores the objects of a kind again whenever its CRD has another storage version, and then removes the former versions
   * from `status.storedVersions`, so that a release may drop them. While holding the lease only; the condition
   * `StorageMigrated` of the CRD says how far it is. Needs the permissions of the guide "Storage migration".
   */
  migrateStorage(kind: Kind, options?: StorageMigrationOptions): void {
    const { measurements } = this.#parts;
    migrateStorage(this, kind, options, (crd, step) => measurements.metrics?.migrations.stepped(crd, step));
  }

  /**
   * Serves what the status of a kind's objects says as metrics: conditions and their age, generations that wait to be
   * observed, deletions that last. It is read from the cache when it is scraped, so a kind that nothing caches has no
   * metrics. Custom resources that have a controller are exported without this call, with the default options.
   */
  exportConditions(kind: Kind, options?: ConditionExportOptions): void {
    this.#parts.conditions.add(kind, options);
  }

  /** Adds a check to `/healthz`: while it fails, the kubelet restarts the container. */
  addHealthCheck(name: string, check: HealthCheck): void {
    this.#parts.healthChecks.add(name, check);
  }

  /** Adds a check to `/readyz`: while it fails, Services send no requests here. */
  addReadyCheck(name: string, check: HealthCheck): void {
    this.#parts.readyChecks.add(name, check);
  }

  /**
   * Runs until the signal is aborted, `stop` is called, or something fails, and resolves when everything has stopped.
   * Rejects with the failure, or an `AggregateError` if there were several. A manager can be started once.
   */
  async start(signal?: AbortSignal): Promise<void> {
    const { log, lifecycle, clusters, close, recorder } = this.#parts;
    const forget = onAbort(signal, () => lifecycle.stop());
    try {
      if (this.#ownsProcess) await runAsProcess(log, lifecycle, recorder);
      else await lifecycle.run();
    } finally {
      forget();
      await clusters.removeAll();
      await close();
    }
  }

  /** Begins to stop; `start` resolves when that is done. */
  stop(): void {
    this.#parts.lifecycle.stop();
  }
}

/**
 * Runs a manager that owns its process. The first SIGINT or SIGTERM stops it and the second exits at once, as users and
 * the kubelet expect. A failure is logged and exits with 1.
 */
async function runAsProcess(
  log: Logger | LeveledLogger,
  manager: { run(): Promise<void>; stop(): void },
  recorder: FlightRecorder,
) {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info("Received a signal, stopping", { signal });
    manager.stop();
  };
  const onVerbosity = () => {
    if (!("level" in log)) return;
    log.level = log.level === "debug" ? "info" : "debug";
    log.info("Changed the log level", { to: log.level });
  };
  // A missing await in one reconcile must not end all the others.
  const onRejection = (error: unknown) =>
    log.error("Unhandled promise rejection: an await is missing", {
      error,
      isProgrammingError: isProgrammingError(error),
    });
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGUSR2", onVerbosity);
  const onException = (error: unknown) => recorder.dump(`an exception: ${String(error)}`);
  const onFailure = (error: unknown) => recorder.dump(`the manager failed: ${String(error)}`);
  process.on("unhandledRejection", onRejection).on("uncaughtExceptionMonitor", onException);
  warnOfLooseHeap(readMemoryLimits(), log);
  try {
    await manager.run();
  } catch (error) {
    onFailure(error);
    log.error("The manager failed", { error });
    process.exit(1);
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGUSR2", onVerbosity);
    process.off("unhandledRejection", onRejection).off("uncaughtExceptionMonitor", onException);
  }
}
