import { hostname } from "node:os";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type PerformanceEntry, PerformanceObserver, constants } from "node:perf_hooks";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { createCachedClient } from "../cache/cached-client.ts";
import type { Cache } from "../cache/cache.ts";
import type { CallbackError } from "../callbacks/callback-error.ts";
import type { Client } from "../client/client.ts";
import { ApiEventRecorder } from "../events/api-event-recorder.ts";
import type { HealthChecks } from "../health/health-checks.ts";
import type { ClusterConfig } from "../http/config.ts";
import { fence, makeElector } from "../leader-election/lease-elector.ts";
import { logCallbackError } from "../log/log-callback-error.ts";
import type { Logger } from "../log/logger.ts";
import type { MetricsServer } from "../metrics/metrics-server.ts";
import { Tracing } from "../tracing/tracing.ts";
import type { WebhookServer } from "../webhook/webhook-server.ts";
import { ControllerSet } from "./controller-set.ts";
import { Lifecycle, type LifecycleParts } from "./lifecycle.ts";
import { type Base, loadOnce, makeBase } from "./manager-base.ts";
import { makeManagerCache } from "./manager-cache.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { makeServers } from "./manager-servers.ts";
import type { ProbeServer } from "./probe-server.ts";
import {
  type ClientOptions,
  type LiveClient,
  createClient,
  createSlicedClient,
} from "../client/live-client.ts";
import { AddedCluster, type AddedClusterParts } from "./added-cluster.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import type { MemberCluster } from "./cluster.ts";
import { readDuration } from "../clock/read-duration.ts";
import { type Sharing, makeMember } from "../leader-election/make-member.ts";
import { parseBindAddress } from "../serve/bind-address.ts";
import { readMemoryLimits } from "./memory-limits.ts";
import type { MeasurableController } from "../controller/controller-spec.ts";
import type { Service } from "../serve/service.ts";
import { type ControllerSample, type SampleMessage, isObserved, publish } from "../tracing/channels.ts";
import { LoopDelay, loopPeriod } from "./loop-delay.ts";

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

/** What samples are taken of. */
interface SampledParts {
  readonly controllers: () => readonly MeasurableController[];
  /** Of all clusters. */
  readonly caches: () => readonly Cache[];
}

/** Milliseconds between samples, at least. */
const pause = 1000;

/**
 * Publishes samples of a manager's process, if something has subscribed to them before it starts. It uses the system
 * time, as the watchdog does.
 */
class Sampler implements Service {
  readonly #parts: SampledParts;
  readonly #kept = new KeptHeap();
  #most = new Map<string, ControllerSample>();
  #last: SampleMessage | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SampledParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    if (!isObserved("tsbuilder:sample")) return;
    // `Date` may be moved in dev, also before this process loads the runtime.
    const since = Math.round(performance.timeOrigin + performance.now());
    const delay = new LoopDelay();
    let due = performance.now();
    this.#kept.start();
    // Most reconciles begin and end between two turns of the timer.
    subscribe("tsbuilder:reconcile:start", this.#look);
    this.#timer = setInterval(() => {
      delay.tick();
      if (performance.now() < due) return;
      due = performance.now() + pause;
      this.#sample(since, delay);
    }, loopPeriod);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    unsubscribe("tsbuilder:reconcile:start", this.#look);
    this.#kept.stop();
  }

  readonly #look = (): void => {
    for (const { name, depth, active, workers } of this.#parts.controllers()) {
      const { queued = 0, active: before = 0 } = this.#most.get(name) ?? {};
      const most = { queued: Math.max(depth, queued), active: Math.max(active, before) };
      this.#most.set(name, { controller: name, ...most, workers });
    }
  };

  #sample(since: number, delay: LoopDelay): void {
    this.#look();
    const { milliseconds: blocked, until } = delay.take();
    const { rss: resident, heapUsed: heap } = process.memoryUsage();
    const sample: SampleMessage = {
      since,
      controllers: [...this.#most.values()],
      ...cachedObjects(this.#parts.caches()),
      blocked,
      blockedAgo: until === undefined ? undefined : Math.round(performance.now() - until),
      resident,
      heap,
      heapKept: this.#kept.bytes,
    };
    this.#most = new Map();
    if (!differs(this.#last, sample)) return;
    this.#last = sample;
    publish("tsbuilder:sample", () => sample);
  }
}

/** What the types of Node 20 omit. */
interface CollectionEntry {
  readonly detail: { readonly kind: number };
}

/** Notes how much of the heap is in use after each full garbage collection: what is in use before may be garbage. */
class KeptHeap {
  bytes: number | undefined;
  readonly #observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as (PerformanceEntry & CollectionEntry)[];
    if (entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR))
      this.bytes = process.memoryUsage().heapUsed;
  });

  start(): void {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  stop(): void {
    this.#observer.disconnect();
  }
}

/** Blocks that are shorter are no news. */
const leastBlock = 20;

const megabyte = 1024 * 1024;

/** Whether a sample tells something that the one before didn't; memory is never the same twice. */
export function differs(before: SampleMessage | undefined, after: SampleMessage): boolean {
  if (before === undefined) return true;
  const amount = (bytes = 0, bytesBefore = 0): boolean =>
    Math.abs(bytes - bytesBefore) > Math.max(megabyte, bytesBefore / 20);
  return (
    Math.abs(after.blocked - before.blocked) > leastBlock ||
    amount(after.resident, before.resident) ||
    amount(after.heap, before.heap) ||
    amount(after.heapKept, before.heapKept) ||
    JSON.stringify([after.controllers, after.cached]) !== JSON.stringify([before.controllers, before.cached])
  );
}

function cachedObjects(caches: readonly Cache[]): Pick<SampleMessage, "cached" | "cachedBytes"> {
  const cached: Record<string, number> = {};
  let cachedBytes = 0;
  for (const { kind, stats } of caches.flatMap(({ informers }) => informers)) {
    const name = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
    cached[name] = (cached[name] ?? 0) + stats.objects;
    cachedBytes += stats.bytes;
  }
  return { cached, cachedBytes };
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

/** Leases and Events have their own connections: a busy operator must not delay a renewal. */
function makeElection({ leaderElection }: ManagerOptions, base: Base) {
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
      onStatus: (isLeading) => measurements.leading(leaderElection.id, isLeading),
    });
  return { background, events, elector };
}

function makeEvents({ name, log, clock }: Base, client: Client): ApiEventRecorder {
  const reportingInstance = `${name}-${hostname()}`;
  return new ApiEventRecorder({ client, reportingController: name, reportingInstance, log, clock });
}

/** Shares the objects with other processes. */
function makeSharing(
  { sharding }: ManagerOptions,
  { clock, config, log }: Base,
  background: LiveClient,
): Sharing | undefined {
  return sharding && makeMember(sharding, config, { client: background, clock, log });
}

/** Its writes are rejected as soon as another process may lead, or reconcile the same object. */
function makeLiveClient(
  { client: { wrap: _wrap, ...options } = {} }: ManagerOptions,
  { name, clock, slices, config, measurements, log }: Base,
  beforeSend: ClientOptions["beforeSend"],
): LiveClient {
  const all: ClientOptions = {
    ...options,
    userAgent: name,
    fieldManager: name,
    clock,
    onWarning: ({ text, request }) => log.warn(text, { request }),
    onRequest: (report) => measurements.request(report),
    onLookup: (report) => measurements.lookup(report),
    beforeSend,
  };
  return createSlicedClient(config, all, slices);
}

interface Stages extends Pick<LifecycleParts, "servers" | "cache" | "elector"> {
  readonly webhooks: WebhookServer;
  readonly events: ApiEventRecorder;
  readonly tracing: Tracing;
  readonly sharing: Sharing | undefined;
}

function makeLifecycle(
  options: ManagerOptions,
  { log, clock, config, measurements }: Base,
  { tracing, sharing, ...stages }: Stages,
): Lifecycle {
  const { leaderElection, metrics } = options;
  return new Lifecycle({
    log,
    clock,
    prepare: async () => {
      const { credentials } = await config();
      await tracing.start();
      if (!parseBindAddress(metrics?.bindAddress ?? "0")) return;
      const { cache, webhooks, events } = stages;
      const droppedEvents = () => events.dropped;
      const lease = leaderElection?.id;
      const memory = readMemoryLimits();
      await measurements.start({
        cache,
        droppedEvents,
        webhooks,
        lease,
        credentials,
        clock,
        sharing,
        memory,
      });
    },
    ...stages,
    member: sharing?.member,
    gracefulShutdownTimeout: graceOf(options),
  });
}

function graceOf({ gracefulShutdownTimeout = "30s" }: ManagerOptions): number {
  return readDuration("gracefulShutdownTimeout", gracefulShutdownTimeout);
}
