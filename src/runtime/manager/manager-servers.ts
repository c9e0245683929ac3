import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Cache } from "../cache/cache.ts";
import type { LiveClient } from "../client/live-client.ts";
import { readDuration } from "../clock/read-duration.ts";
import { HealthChecks } from "../health/health-checks.ts";
import type { Sharing } from "../leader-election/make-member.ts";
import { debugHandlers } from "../metrics/debug-handlers.ts";
import { MetricsServer } from "../metrics/metrics-server.ts";
import { makeManagedCertificate } from "../webhook/managed-certificate.ts";
import { WebhookServer } from "../webhook/webhook-server.ts";
import type { Base } from "./manager-base.ts";
import { checkInformers } from "./manager-cache.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { ProbeServer } from "./probe-server.ts";
import type { MeasurableController } from "../controller/controller-spec.ts";
import type { Logger } from "../log/logger.ts";
import type { Service } from "../serve/service.ts";

/** What the servers answer from. */
interface Answering {
  readonly cache: Cache;
  readonly live: LiveClient;
  readonly sharing: Sharing | undefined;
}

/** Everything that others call, and the watchdog that tells when nobody would be answered. */
export function makeServers(options: ManagerOptions, base: Base, { cache, live, sharing }: Answering) {
  const { clock, log, measurements } = base;
  const webhooks = makeWebhookServer(options, base, live);
  const { healthChecks, readyChecks } = makeChecks(clock, cache, webhooks, sharing);
  const endpoints = { "/healthz": healthChecks, "/readyz": readyChecks };
  const probes = new ProbeServer(options.healthProbeBindAddress ?? "0", endpoints, log, (endpoint, check) =>
    measurements.healthCheckFailed(endpoint, check),
  );
  const metricsServer = makeMetricsServer(options, base, live);
  const watchdog = makeWatchdog(options, base);
  return { webhooks, healthChecks, readyChecks, probes, metricsServer, watchdog };
}

function makeChecks(clock: Clock, cache: Cache, webhooks: WebhookServer, sharing: Sharing | undefined) {
  const healthChecks = new HealthChecks(clock);
  const readyChecks = new HealthChecks(clock);
  readyChecks.add("informer-sync", () => checkInformers(cache));
  readyChecks.add("webhook", () => webhooks.check());
  if (sharing) readyChecks.add("shards", () => sharing.member.check());
  return { healthChecks, readyChecks };
}

function makeMetricsServer(
  { metrics = {} }: ManagerOptions,
  { clock, measurements, log }: Base,
  live: LiveClient,
): MetricsServer {
  return new MetricsServer({
    options: metrics,
    client: live,
    clock,
    log,
    handlers: {
      "/metrics": (_request, response) => measurements.send(response),
      ...(metrics.debug === true && debugHandlers(log)),
      ...metrics.handlers,
    },
  });
}

function makeWatchdog({ blockedAfter = "1s" }: ManagerOptions, { measurements, log }: Base): LoopWatchdog {
  return new LoopWatchdog({
    controllers: () => measurements.controllers,
    log,
    blockedAfter: readDuration("blockedAfter", blockedAfter),
    onBlocked: (milliseconds) => measurements.blocked(milliseconds),
  });
}

/** What a watchdog watches and notifies; times in milliseconds. */
interface LoopWatchdogOptions {
  readonly controllers: () => readonly MeasurableController[];
  readonly log: Logger;
  /** How long the loop may be blocked before it is reported; 0 for never. */
  readonly blockedAfter: number;
  readonly onBlocked: (milliseconds: number) => void;
}

/**
 * Reports when code blocked the event loop for so long that nothing else could run: no other reconcile, no probe, no
 * renewal of the lease. It uses the system time, like `workedSince`: blocked code can't be seen on a clock that a test
 * moves. A block can only be detected afterwards; the reconciles that ran in the meantime are the suspects.
 */
class LoopWatchdog implements Service {
  readonly #options: LoopWatchdogOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LoopWatchdogOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { blockedAfter } = this.#options;
    if (blockedAfter <= 0) return;
    const period = Math.max(10, blockedAfter / 4);
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const late = now - last - period;
      if (late >= blockedAfter) this.#report(late, last);
      last = now;
    }, period);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  #report(milliseconds: number, since: number): void {
    const { controllers, log, onBlocked } = this.#options;
    const reconciling = controllers().flatMap((controller) =>
      controller.workedSince(since).map((key) => `${controller.name} ${key}`),
    );
    onBlocked(milliseconds);
    log.warn(
      "The event loop was blocked: code computed for too long in one piece; await setImmediate() of node:timers/promises in it, or run it in a worker thread",
      {
        seconds: Math.round(milliseconds / 100) / 10,
        reconciling,
      },
    );
  }
}

function makeWebhookServer(
  { webhooks: options = {} }: ManagerOptions,
  { clock, config, log }: Base,
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
        return makeManagedCertificate(selfManaged, config, { client: live, clock, log, converted });
      }),
  });
  return server;
}
