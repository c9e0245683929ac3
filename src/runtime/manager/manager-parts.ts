import type { Clock } from "@tsbuilder/apimachinery/time";
import { createCachedClient } from "../cache/cached-client.ts";
import type { Cache } from "../cache/cache.ts";
import type { CallbackError } from "../callbacks/callback-error.ts";
import type { Client } from "../client/client.ts";
import type { ApiEventRecorder } from "../events/api-event-recorder.ts";
import type { HealthChecks } from "../health/health-checks.ts";
import type { ClusterConfig } from "../http/config.ts";
import { fence } from "../leader-election/lease-elector.ts";
import { logCallbackError } from "../log/log-callback-error.ts";
import type { Logger } from "../log/logger.ts";
import type { MetricsServer } from "../metrics/metrics-server.ts";
import { Tracing } from "../tracing/tracing.ts";
import type { WebhookServer } from "../webhook/webhook-server.ts";
import { ControllerSet } from "./controller-set.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { type Base, loadOnce, makeBase } from "./manager-base.ts";
import { makeManagerCache } from "./manager-cache.ts";
import { makeElection, makeEvents, makeLiveClient, makeSharing } from "./manager-clients.ts";
import { graceOf, makeLifecycle } from "./manager-lifecycle.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { makeServers } from "./manager-servers.ts";
import type { ProbeServer } from "./probe-server.ts";
import { Sampler } from "./sampler.ts";
import type { ClientOptions } from "../client/live-client.ts";
import { AddedCluster, type AddedClusterParts } from "./added-cluster.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import type { MemberCluster } from "./cluster.ts";

/** The parts of a manager. Creating them sends nothing and opens nothing. */
export interface ManagerParts {
  readonly clock: Clock;
  readonly config: () => Promise<ClusterConfig>;
  readonly log: Logger;
  readonly client: Client;
  readonly cache: Cache;
  readonly events: ApiEventRecorder;
  readonly controllers: ControllerSet;
  readonly clusters: ClusterSet;
  readonly webhooks: WebhookServer;
  readonly healthChecks: HealthChecks;
  readonly readyChecks: HealthChecks;
  readonly probes: ProbeServer;
  readonly metricsServer: MetricsServer;
  readonly lifecycle: Lifecycle;
  /** Whether no controller has anything to do at the moment. */
  readonly isIdle: () => boolean;
  /** Logs and counts the failure of a user's function. */
  readonly report: (error: CallbackError) => void;
  /** Closes the connections. */
  readonly close: () => Promise<void>;
}

/** Creates and connects the parts of a manager. */
export function makeManagerParts(options: ManagerOptions): ManagerParts {
  const base = makeBase(options);
  const { clock, slices, log, measurements, config } = base;
  const { background, events, elector } = makeElection(options, base);
  const sharing = makeSharing(options, base, background);
  const beforeSend = elector || sharing ? fence(elector) : undefined;
  const live = makeLiveClient(options, base, beforeSend);
  const cache = makeManagerCache(options, base, live, sharing);
  const cached = createCachedClient(live, cache);
  const client = options.client?.wrap?.(cached) ?? cached;
  const { watchdog, ...served } = makeServers(options, base, { cache, live, sharing });
  const { webhooks, probes, metricsServer } = served;
  const tracing = new Tracing();
  const sampler = new Sampler({
    controllers: () => measurements.controllers,
    caches: () => [cache, ...[...clusters.all.values()].map((cluster) => cluster.cache)],
  });
  const servers = [probes, metricsServer, watchdog, sampler];
  const stages = { servers, webhooks, cache, elector, sharing, events, tracing };
  const lifecycle = makeLifecycle(options, base, stages);
  const controllers = new ControllerSet(
    { client, cache, shards: sharing?.gate, controllerDefaults: options.controllers ?? {} },
    { log, clock, slices, events, lifecycle, measurements, tracing },
  );
  const clusters = new ClusterSet((name, config, onRemoved) => {
    const shared = { lifecycle, tracing, onRemoved };
    return makeAddedCluster(name, options, { ...base, config: loadOnce(config) }, beforeSend, shared);
  });
  const close = async () => void (await Promise.all([live.close(), background.close()]));
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
    ...served,
    lifecycle,
    isIdle,
    report,
    close,
  };
}

/** Makes a cluster, which calls `onRemoved` at its end. */
type Make = (
  name: string,
  config: ClusterConfig | (() => Promise<ClusterConfig>),
  onRemoved: () => void,
) => MemberCluster;

/** The clusters besides the manager's own, by name. */
class ClusterSet {
  readonly #make: Make;
  readonly all = new Map<string, MemberCluster>();

  constructor(make: Make) {
    this.#make = make;
  }

  add(name: string, config: ClusterConfig | (() => Promise<ClusterConfig>)): MemberCluster {
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

/** A cluster besides the manager's own: requests are sent and objects cached as for that one. */
function makeAddedCluster(
  clusterName: string,
  options: ManagerOptions,
  all: Base,
  beforeSend: ClientOptions["beforeSend"],
  shared: Pick<AddedClusterParts, "lifecycle" | "tracing" | "onRemoved">,
): AddedCluster {
  const base = { ...all, log: all.log.with({ cluster: clusterName }) };
  const live = makeLiveClient(options, base, beforeSend);
  const cache = makeManagerCache(options, base, live, undefined);
  const cached = createCachedClient(live, cache);
  return new AddedCluster(clusterName, {
    ...base,
    ...shared,
    client: options.client?.wrap?.(cached) ?? cached,
    cache,
    events: makeEvents(base, live),
    controllerDefaults: options.controllers ?? {},
    gracefulShutdownTimeout: graceOf(options),
    close: () => live.close(),
  });
}
