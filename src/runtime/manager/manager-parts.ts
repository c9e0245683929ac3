import { hostname } from "node:os";
import { type Kind, isCustomGroup } from "@tsbuilder/apimachinery/meta";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import type { CacheOptions, ObjectCache } from "../cache/cache.ts";
import { createCachedClient } from "../cache/cached-client.ts";
import { InformerCache } from "../cache/create-cache.ts";
import { CallbackError } from "../callbacks/callbacks.ts";
import type { Client } from "../client/client.ts";
import { type ClientOptions, LiveClient, createClient } from "../client/live-client.ts";
import { readDuration } from "../clock/waits.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import { loadConfig } from "../config/load-config.ts";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import { ApiEventRecorder } from "../events/event-recorder.ts";
import { HealthChecks, ProbeServer } from "../health/health-checks.ts";
import type { ClusterConfig } from "../http/config.ts";
import { HttpTransport } from "../http/http-transport.ts";
import { fence, makeElector } from "../leader-election/lease-elector.ts";
import { makeMember, type Sharing } from "../leader-election/lease-member.ts";
import { type Logger, createLogger, guardLogger, logCallbackError } from "../log/logger.ts";
import { ConditionExports } from "../metrics/condition-metrics.ts";
import { MetricsServer } from "../metrics/metrics-server.ts";
import { Measurements } from "../metrics/measurements.ts";
import { Telemetry } from "../opentelemetry/export-telemetry.ts";
import { FlightRecorder } from "../recorder/flight-recorder.ts";
import { parseBindAddress } from "../serve/http-listener.ts";
import { startTracing } from "../tracing/opentelemetry-api.ts";
import { traceRequests } from "../tracing/tracing.ts";
import { ManagedCertificate } from "../webhook/managed-certificate.ts";
import { WebhookServer } from "../webhook/webhook-server.ts";
import { AddedCluster, type AddedClusterParts, ClusterSet } from "./cluster.ts";
import { ControllerSet } from "./controller-set.ts";
import { Lifecycle } from "./lifecycle.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { readMemoryLimits } from "../metrics/memory-limits.ts";
import { LoopWatchdog, Sampler } from "./process-watch.ts";

/** The parts of a manager. */
export type ManagerParts = ReturnType<typeof makeManagerParts>;

/** Creates and connects the parts of a manager. Sends nothing and opens nothing. */
export function makeManagerParts(options: ManagerOptions) {
  const base = makeSharedParts(options);
  const { clock, slices, log, measurements, config } = base;
  const { background, events, elector } = makeElection(options, base);
  const sharing =
    options.sharding && makeMember(options.sharding, config, { client: background, clock, log });
  const beforeSend = elector || sharing ? fence(elector) : undefined;
  const live = makeLiveClient(options, base, beforeSend);
  const cache = makeManagerCache(options, base, live, sharing);
  const cached = createCachedClient(live, cache);
  const client = options.client?.wrap?.(cached) ?? cached;
  const { watchdog, ...served } = makeServers(options, base, { cache, live, sharing });
  const { webhooks, probes, metricsServer } = served;
  const recorder = new FlightRecorder({
    name: options.name,
    options: options.recorder ?? {},
    clock,
    log,
    memory: readMemoryLimits(),
  });
  const telemetry = new Telemetry({
    name: options.name,
    log,
    env: process.env,
    metrics: async () => (await measurements.metrics?.text()) ?? "",
  });
  const conditions = new ConditionExports(cache, slices, () => elector?.isLeading ?? true);
  const sampler = new Sampler({
    controllers: () => measurements.controllers,
    caches: () => [cache, ...[...clusters.all.values()].map((cluster) => cluster.cache)],
  });
  const lifecycle = new Lifecycle({
    log,
    clock,
    prepare: async () => {
      const { credentials } = await config();
      await telemetry.register();
      await startTracing();
      if (!parseBindAddress(options.metrics?.bindAddress ?? "0") && !telemetry.hasMetrics) return;
      await measurements.start({
        cache,
        droppedEvents: () => events.dropped,
        webhooks,
        lease: options.leaderElection?.id,
        credentials,
        clock,
        sharing,
        memory: readMemoryLimits(),
        conditions,
      });
    },
    // The sampler takes samples only if the recorder, or somebody else, listens.
    servers: [probes, metricsServer, recorder, watchdog, sampler],
    webhooks,
    cache,
    elector,
    member: sharing?.member,
    events,
    gracefulShutdownTimeout: readGracePeriod(options),
  });
  const controllers = new ControllerSet(
    { client, cache, shards: sharing?.gate, controllerDefaults: options.controllers ?? {} },
    { log, clock, slices, events, lifecycle, measurements, conditions },
  );
  const clusters = new ClusterSet((name, config, remove) => {
    const onRemoved = (): void => {
      conditions.forget(name);
      remove();
    };
    const fromManager = { lifecycle, conditions, onRemoved };
    return makeAddedCluster(name, options, { ...base, config: loadOnce(config) }, beforeSend, fromManager);
  });
  const close = async (): Promise<void> => {
    await Promise.all([live.close(), background.close()]);
    // Last: a collector that does not answer must not delay the release of the lease.
    await telemetry.stop();
  };
  /** Logs and counts the failure of a user's function. */
  const report = (error: CallbackError) => {
    logCallbackError(log, error, {});
    measurements.callbackFailed(error.callback);
  };
  const isIdle = () => measurements.controllers.every(({ depth, active }) => depth + active === 0);
  return {
    clock,
    config,
    log,
    client,
    cache,
    events,
    controllers,
    clusters,
    measurements,
    conditions,
    recorder,
    ...served,
    lifecycle,
    isIdle,
    report,
    close,
  };
}

/** The parts that the others are made with: those of the manager, or of a cluster that was added to it. */
interface SharedParts {
  readonly name: string;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly config: () => Promise<ClusterConfig>;
  readonly measurements: Measurements;
  readonly log: Logger;
}

function makeSharedParts({ name, clock = systemClock, config, logger }: ManagerOptions): SharedParts {
  // It becomes the field manager, which the API server validates on every apply.
  if (!/^[\x20-\x7e]{1,128}$/.test(name))
    throw new TerminalError(`a manager's name is 1 to 128 characters of ASCII, not "${name}"`);
  const measurements = new Measurements();
  const log = guardLogger(logger ?? createLogger({ clock }), () => measurements.callbackFailed("logger"));
  return {
    name,
    clock,
    slices: new TimeSlices(clock),
    config: loadOnce(config ?? (() => loadConfig())),
    measurements,
    log,
  };
}

/** Loads the config of a cluster once for all clients; after a failure, the next call tries again. */
function loadOnce(config: ClusterConfig | (() => Promise<ClusterConfig>)): () => Promise<ClusterConfig> {
  let loaded: Promise<ClusterConfig> | undefined;
  return () => {
    if (loaded) return loaded;
    const loading = typeof config === "function" ? config() : Promise.resolve(config);
    loading.catch(() => (loaded = undefined));
    loaded = loading;
    return loading;
  };
}

/** Creates the elector and the event recorder, on their own connections: a busy operator must not delay a renewal. */
function makeElection({ leaderElection }: ManagerOptions, base: SharedParts) {
  const { name, clock, config, measurements, log } = base;
  const background = createClient(config, {
    userAgent: `${name}/leader-election`,
    fieldManager: name,
    clock,
  });
  const events = makeEvents(base, background);
  const elector =
    leaderElection &&
    makeElector(leaderElection, config, {
      client: background,
      clock,
      log,
      events,
      onStatus: (isLeading) => measurements.metrics?.leading(leaderElection.id, isLeading),
    });
  return { background, events, elector };
}

/** Creates the client of the controllers. `beforeSend` rejects its writes as soon as another process may lead. */
function makeLiveClient(
  { client: { wrap: _wrap, ...options } = {} }: ManagerOptions,
  { name, clock, slices, config, measurements, log }: SharedParts,
  beforeSend: ClientOptions["beforeSend"],
): LiveClient {
  const clientOptions: ClientOptions = {
    ...options,
    interceptors: [...(options.interceptors ?? []), traceRequests(config)],
    userAgent: name,
    fieldManager: name,
    clock,
    onWarning: ({ text, request }) => log.warn(text, { request }),
    onRequest: (report) => measurements.metrics?.client.request(report),
    onLookup: (report) => measurements.metrics?.client.lookup(report),
    beforeSend,
  };
  return new LiveClient(new HttpTransport(config, clientOptions, slices), clientOptions);
}

function makeManagerCache(
  { cache: options }: ManagerOptions,
  { name, clock, slices, measurements, log }: SharedParts,
  live: LiveClient,
  sharing: Sharing | undefined,
): ObjectCache {
  const cacheOptions: CacheOptions = {
    fieldManager: name,
    onWarning: (text, { kind }) => log.warn(text, { kind: kind.kind }),
    clock,
    ...options,
    onError: (error, informer) => {
      if (error instanceof CallbackError) measurements.callbackFailed(error.callback);
      if (options?.onError) options.onError(error, informer);
      else logCacheError(log, error, informer.kind);
    },
  };
  return new InformerCache(live, cacheOptions, sharing?.gate, slices);
}

/** Logs an error of an informer, with a hint if a CRD seems to be missing. */
function logCacheError(log: Logger, error: Error, { kind, apiVersion, group }: Kind): void {
  if (error instanceof CallbackError) logCallbackError(log, error, { kind });
  else if (error instanceof ApiError && error.isNotFound)
    log.error("The cluster doesn't serve this kind, trying again", {
      kind,
      apiVersion,
      ...(isCustomGroup(group) && { hint: "if it is a custom resource, install its CRD: make install" }),
    });
  else log.error("Watch failed, trying again", { kind, error });
}

/** Creates the servers for webhooks, probes and metrics, and the watchdog that reports when they could not answer. */
function makeServers(
  options: ManagerOptions,
  base: SharedParts,
  { cache, live, sharing }: { cache: ObjectCache; live: LiveClient; sharing: Sharing | undefined },
) {
  const { clock, log, measurements } = base;
  const webhooks = makeWebhookServer(options, base, live);
  const healthChecks = new HealthChecks(clock);
  const readyChecks = new HealthChecks(clock);
  readyChecks.add("informer-sync", () => checkInformers(cache));
  readyChecks.add("webhook", () => webhooks.check());
  if (sharing) readyChecks.add("shards", () => sharing.member.check());
  const probes = new ProbeServer({
    bindAddress: options.healthProbeBindAddress ?? "0",
    endpoints: { "/healthz": healthChecks, "/readyz": readyChecks },
    log,
    onFailure: (endpoint, check) => measurements.metrics?.healthCheckFailed(endpoint, check),
  });
  const metricsServer = new MetricsServer({
    options: options.metrics ?? {},
    client: live,
    clock,
    log,
    sendMetrics: (request, response) => measurements.send(request, response),
  });
  const watchdog = new LoopWatchdog({
    controllers: () => measurements.controllers,
    log,
    blockedAfter: readDuration("blockedAfter", options.blockedAfter ?? "1s"),
    onBlocked: (milliseconds) => measurements.metrics?.blocked(milliseconds),
  });
  return { webhooks, healthChecks, readyChecks, probes, metricsServer, watchdog };
}

/** Throws while an informer is not synced, or has lost its permissions: the manager must not count as ready then. */
function checkInformers(cache: ObjectCache): void {
  const unhealthy = cache.informers.find(
    ({ hasSynced, stats }) =>
      !hasSynced || (stats.lastError instanceof ApiError && stats.lastError.isForbidden),
  );
  if (unhealthy)
    throw unhealthy.stats.lastError ?? new Error(`the ${unhealthy.kind.kind} objects are still being listed`);
}

function makeWebhookServer(
  { webhooks: options = {} }: ManagerOptions,
  { clock, config, log }: SharedParts,
  live: LiveClient,
): WebhookServer {
  const { selfManaged } = options;
  const server: WebhookServer = new WebhookServer({
    options,
    log,
    clock,
    certificates:
      selfManaged &&
      (() => {
        const converted = () => [...server.converted.values()].map(({ hub }) => hub);
        return new ManagedCertificate(selfManaged, { client: live, config, clock, log, converted });
      }),
  });
  return server;
}

function readGracePeriod({ gracefulShutdownTimeout = "30s" }: ManagerOptions): number {
  return readDuration("gracefulShutdownTimeout", gracefulShutdownTimeout);
}

/** Creates a cluster besides the manager's own, with the same options for its client and its cache. */
function makeAddedCluster(
  clusterName: string,
  options: ManagerOptions,
  managerParts: SharedParts,
  beforeSend: ClientOptions["beforeSend"],
  {
    conditions,
    ...shared
  }: Pick<AddedClusterParts, "lifecycle" | "onRemoved"> & {
    readonly conditions: ConditionExports;
  },
): AddedCluster {
  const base = { ...managerParts, log: managerParts.log.with({ cluster: clusterName }) };
  const live = makeLiveClient(options, base, beforeSend);
  const cache = makeManagerCache(options, base, live, undefined);
  const cached = createCachedClient(live, cache);
  return new AddedCluster(clusterName, {
    ...base,
    ...shared,
    conditions: conditions.ofCluster(clusterName, cache),
    client: options.client?.wrap?.(cached) ?? cached,
    cache,
    events: makeEvents(base, live),
    controllerDefaults: options.controllers ?? {},
    gracefulShutdownTimeout: readGracePeriod(options),
    close: () => live.close(),
  });
}

function makeEvents({ name, log, clock }: SharedParts, client: Client): ApiEventRecorder {
  const reportingInstance = `${name}-${hostname()}`;
  return new ApiEventRecorder({ client, reportingController: name, reportingInstance, log, clock });
}
