import { describeCertificate } from "@tsbuilder/apimachinery/certs";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics, register } from "prom-client";
import type { CallbackName } from "../callbacks/callback-error.ts";
import type { Cache } from "../cache/cache.ts";
import type { WebhookObserver } from "../webhook/webhook-server.ts";
import type { Sharing } from "../leader-election/make-member.ts";
import { tenfoldBuckets } from "./buckets.ts";
import { ClientMetrics } from "./client-metrics.ts";
import { ControllerMetrics } from "./controller-metrics.ts";
import { type MemoryLimits, measureLimits } from "./memory-metrics.ts";
import type { MemberObserver } from "../leader-election/lease-member.ts";
import { countRanges } from "../shards/ranges.ts";

/** What the metrics read when they are scraped. */
export interface MeasuredParts {
  readonly cache: Cache;
  readonly droppedEvents: () => number;
  readonly clock: Clock;
  readonly sharing?: Sharing | undefined;
  readonly memory: MemoryLimits;
}

/** All metrics of a manager. Names and labels are controller-runtime's, so that its dashboards and alerts work. */
export class RuntimeMetrics {
  readonly registry = new Registry();
  readonly controllers = new ControllerMetrics(this.registry);
  readonly client: ClientMetrics;
  readonly webhooks: WebhookObserver;
  readonly #isLeading: Gauge<"name">;
  readonly #blockedSeconds: Counter;
  readonly #callbackErrors: Counter<"callback">;
  readonly #healthCheckFailures: Counter<"endpoint" | "check">;

  constructor(parts: MeasuredParts) {
    this.client = new ClientMetrics(this.registry, parts.clock);
    const registers = [this.registry];
    this.#isLeading = new Gauge({
      name: "leader_election_master_status",
      help: "1 while this process holds the lease.",
      labelNames: ["name"],
      registers,
    });
    this.#blockedSeconds = new Counter({
      name: "tsbuilder_event_loop_blocked_seconds_total",
      help: "How long the event loop stood still in pieces that were too long for leases and probes.",
      registers,
    });
    this.#callbackErrors = new Counter({
      name: "tsbuilder_callback_errors_total",
      help: "Functions of the operator's that failed and were done without, as indexes, transforms and predicates.",
      labelNames: ["callback"],
      registers,
    });
    this.#healthCheckFailures = new Counter({
      name: "tsbuilder_health_check_failures_total",
      help: "Health checks that failed when a probe asked for them.",
      labelNames: ["endpoint", "check"],
      registers,
    });
    this.webhooks = webhookMetrics(this.registry);
    measureCache(this.registry, parts);
    measureLimits(this.registry, parts.memory);
    if (parts.sharing) parts.sharing.member.observer = measureShards(this.registry, parts.sharing);
    collectDefaultMetrics({ register: this.registry });
  }

  readonly contentType = this.registry.contentType;

  /** The text for Prometheus: the runtime's metrics, then what the operator registered with prom-client itself. */
  async text(): Promise<string> {
    return `${await this.registry.metrics()}\n${await register.metrics()}`;
  }

  blocked(milliseconds: number): void {
    this.#blockedSeconds.inc(milliseconds / 1000);
  }

  callbackFailed(callback: CallbackName): void {
    this.#callbackErrors.inc({ callback });
  }

  healthCheckFailed(endpoint: string, check: string): void {
    this.#healthCheckFailures.inc({ endpoint, check });
  }

  leading(name: string, isLeading: boolean): void {
    this.#isLeading.set({ name }, isLeading ? 1 : 0);
  }
}

/** Metrics of a process that shares the objects with others. */
function measureShards(registry: Registry, { member, gate }: Sharing): MemberObserver {
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number): void => {
    const metric: Gauge = new Gauge({
      name: `tsbuilder_shard_${name}`,
      help,
      registers,
      collect: () => metric.set(value()),
    });
  };
  gauge("members", "Processes that share the objects, as this one sees them.", () => member.members);
  gauge("ranges_held", "Ranges of hashes that this process works on, of 64.", () => countRanges(gate.open));
  gauge(
    "foreign_objects",
    "Objects of other processes that were received and dropped: the API server doesn't shard lists and watches.",
    () => gate.dropped,
  );
  const moves = new Counter({
    name: "tsbuilder_shard_moves_total",
    help: "Ranges that this process gained and lost.",
    labelNames: ["direction"],
    registers,
  });
  for (const direction of ["gained", "lost"]) moves.inc({ direction }, 0);
  const wait = new Histogram({
    name: "tsbuilder_shard_wait_seconds",
    help: "Time from when a range was assigned to this process until its objects were reconciled.",
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60],
    registers,
  });
  return {
    gained: (ranges) => moves.inc({ direction: "gained" }, ranges),
    lost: (ranges) => moves.inc({ direction: "lost" }, ranges),
    waited: (milliseconds) => wait.observe(milliseconds / 1000),
  };
}

function webhookMetrics(registry: Registry): WebhookObserver {
  const registers = [registry];
  const seconds = new Histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "How long webhooks take to answer.",
    labelNames: ["webhook"],
    buckets: [...tenfoldBuckets],
    registers,
  });
  const requests = new Counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Calls of webhooks by HTTP status.",
    labelNames: ["webhook", "code"],
    registers,
  });
  const inFlight = new Gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Calls of webhooks that run now.",
    labelNames: ["webhook"],
    registers,
  });
  const count = (name: string, help: string) => new Counter({ name, help, registers });
  const panics = count("controller_runtime_webhook_panics_total", "Admission webhooks that broke.");
  const conversionPanics = count(
    "controller_runtime_conversion_webhook_panics_total",
    "Conversions that broke.",
  );
  const reads = count("certwatcher_read_certificate_total", "Reads of a certificate.");
  const readErrors = count(
    "certwatcher_read_certificate_errors_total",
    "Reads of a certificate that failed.",
  );
  let expiry: Gauge | undefined;
  return {
    serves(webhook) {
      seconds.zero({ webhook });
      inFlight.set({ webhook }, 0);
      for (const code of ["200", "500"]) requests.inc({ webhook, code }, 0);
    },
    began(webhook) {
      const end = seconds.startTimer({ webhook });
      inFlight.inc({ webhook });
      return (code) => {
        end();
        inFlight.dec({ webhook });
        requests.inc({ webhook, code: String(code) });
      };
    },
    certified({ cert }) {
      // Before that, its 0 would look like a certificate that has expired.
      expiry ??= new Gauge({
        name: "tsbuilder_webhook_certificate_expiry_timestamp_seconds",
        help: "When the served certificate of the webhooks expires.",
        registers,
      });
      expiry.set(describeCertificate(cert).notAfter.getTime() / 1000);
    },
    panicked: (webhook) => (webhook === "/convert" ? conversionPanics : panics).inc(),
    read(isOk) {
      reads.inc();
      if (!isOk) readErrors.inc();
    },
  };
}

/** Operators run out of memory, and nobody notices a watch that went silent: Go's runtime exports neither. */
function measureCache(registry: Registry, { cache, droppedEvents }: MeasuredParts): void {
  const gauge = (
    name: string,
    help: string,
    value: (stats: Cache["informers"][number]["stats"]) => number,
  ) => {
    const metric: Gauge<"group" | "version" | "kind"> = new Gauge({
      name: `tsbuilder_informer_${name}`,
      help,
      labelNames: ["group", "version", "kind"],
      registers: [registry],
      collect() {
        metric.reset();
        for (const {
          kind: { group, version, kind },
          stats,
        } of cache.informers)
          metric.inc({ group, version, kind }, value(stats));
      },
    });
  };
  gauge("objects", "Objects in the cache.", ({ objects }) => objects);
  gauge("bytes", "Length of the cached objects as JSON.", ({ bytes }) => bytes);
  gauge(
    "last_event_age_seconds",
    "Time since the server sent anything.",
    ({ lastEventAge = 0 }) => lastEventAge / 1000,
  );
  gauge("relists", "Full lists after the first.", ({ relists }) => relists);
  gauge("watch_errors", "Watches that failed.", ({ watchErrors }) => watchErrors);
  const dropped: Gauge = new Gauge({
    name: "tsbuilder_events_dropped",
    help: "Events that were recorded and not sent.",
    registers: [registry],
    collect: () => dropped.set(droppedEvents()),
  });
}
