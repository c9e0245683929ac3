import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Cache } from "../cache/cache.ts";
import type { LiveClient } from "../client/live-client.ts";
import { readDuration } from "../clock/read-duration.ts";
import { HealthChecks } from "../health/health-checks.ts";
import type { Sharing } from "../leader-election/make-member.ts";
import { debugHandlers } from "../metrics/debug-handlers.ts";
import { MetricsServer } from "../metrics/metrics-server.ts";
import { makeManagedCertificate } from "../webhook/make-managed-certificate.ts";
import { WebhookServer } from "../webhook/webhook-server.ts";
import { LoopWatchdog } from "./loop-watchdog.ts";
import type { Base } from "./manager-base.ts";
import { checkInformers } from "./manager-cache.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { ProbeServer } from "./probe-server.ts";

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
