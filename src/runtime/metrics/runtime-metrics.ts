import { describeCertificate } from "@tsbuilder/apimachinery/certs";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics, register } from "prom-client";
import type { CallbackName } from "../callbacks/callbacks.ts";
import type { ObjectCache } from "../cache/cache.ts";
import type { WebhookObserver } from "../webhook/webhook-server.ts";
import type { MemberObserver, Sharing } from "../leader-election/lease-member.ts";
import { countRanges } from "../shards/ranges.ts";
import type { ControllerObserver, ObservedController } from "../controller/controller-spec.ts";
import type { CertificateSpan, ProgramEnding } from "../http/config.ts";
import type { LookupReport, RequestReport } from "../http/transport.ts";
import type { MigrationStep } from "../storage-migration/storage-migration.ts";
import { tracingApi } from "../tracing/opentelemetry-api.ts";
import type { ConditionExports } from "./condition-metrics.ts";
import { Exemplars, openMetricsType } from "./exemplars.ts";
import type { MemoryLimits } from "./memory-limits.ts";

/** The parts that the metrics read when they are scraped. */
export interface MeasuredParts {
  readonly cache: ObjectCache;
  readonly droppedEvents: () => number;
  readonly clock: Clock;
  readonly sharing?: Sharing | undefined;
  readonly memory: MemoryLimits;
  readonly conditions: ConditionExports;
}

/** The help text of each metric, which Prometheus shows. */
const descriptions = {
  leader_election_master_status: "1 while this process holds the lease.",
  tsbuilder_event_loop_blocked_seconds_total:
    "How long code blocked the event loop in pieces that were too long for leases and probes.",
  tsbuilder_callback_errors_total:
    "Functions of the operator's that failed and were done without, as indexes, transforms and predicates.",
  tsbuilder_health_check_failures_total: "Health checks that failed when a probe asked for them.",
  tsbuilder_heap_limit_bytes: "How far V8 lets the heap grow before it gives up.",
  tsbuilder_container_memory_limit_bytes: "The memory limit of the container.",
  controller_runtime_reconcile_total: "Reconciles by how they ended.",
  controller_runtime_reconcile_errors_total: "Reconciles that failed and are tried again.",
  controller_runtime_terminal_reconcile_errors_total: "Reconciles that failed for good.",
  controller_runtime_reconcile_panics_total: "Reconciles that ended in an error of the program.",
  controller_runtime_reconcile_timeouts_total: "Reconciles that took longer than they may.",
  controller_runtime_reconcile_time_seconds: "How long reconciles take.",
  workqueue_adds_total: "Requests added to the queue.",
  workqueue_retries_total: "Requests added after a failure.",
  workqueue_queue_duration_seconds: "How long due requests wait.",
  workqueue_work_duration_seconds: "How long requests are worked on.",
  controller_runtime_max_concurrent_reconciles: "Reconciles that may run at once.",
  controller_runtime_active_workers: "Reconciles that run now.",
  workqueue_depth: "Requests that are due.",
  tsbuilder_failing_requests:
    "Requests that were retried more than five times in a row, however long the next try is away.",
  workqueue_unfinished_work_seconds: "Time spent so far on what is being worked on; what grows is stuck.",
  workqueue_longest_running_processor_seconds: "Time spent so far on what has been worked on longest.",
  tsbuilder_shard_members: "Processes that share the objects, as this one sees them.",
  tsbuilder_shard_ranges_held: "Ranges of hashes that this process works on, of 64.",
  tsbuilder_shard_foreign_objects:
    "Objects of other processes that were received and dropped: the API server doesn't shard lists and watches.",
  tsbuilder_shard_moves_total: "Ranges that this process gained and lost.",
  tsbuilder_shard_wait_seconds:
    "Time from when a range was assigned to this process until its objects were reconciled.",
  controller_runtime_webhook_latency_seconds: "How long webhooks take to answer.",
  controller_runtime_webhook_requests_total: "Calls of webhooks by HTTP status.",
  controller_runtime_webhook_requests_in_flight: "Calls of webhooks that run now.",
  controller_runtime_webhook_panics_total: "Admission webhooks that broke.",
  controller_runtime_conversion_webhook_panics_total: "Conversions that broke.",
  certwatcher_read_certificate_total: "Reads of a certificate.",
  certwatcher_read_certificate_errors_total: "Reads of a certificate that failed.",
  tsbuilder_webhook_certificate_expiry_timestamp_seconds:
    "When the served certificate of the webhooks expires.",
  tsbuilder_informer_objects: "Objects in the cache.",
  tsbuilder_informer_bytes: "Length of the cached objects as JSON.",
  tsbuilder_informer_last_event_age_seconds: "Time since the server sent anything.",
  tsbuilder_informer_relists: "Full lists after the first.",
  tsbuilder_informer_watch_errors: "Watches that failed.",
  tsbuilder_storage_migration_objects_rewritten_total:
    "Objects that this process wrote again so that they are stored in the storage version.",
  tsbuilder_storage_migration_objects_left:
    "Objects that may be stored in another version than the storage version.",
  tsbuilder_events_dropped: "Events that were recorded and not sent.",
  rest_client_requests_total: "Requests to the API server, each attempt counted.",
  rest_client_request_retries_total: "Attempts after the first one of a request.",
  rest_client_exec_plugin_call_total: "Runs of a credential program, by exit code.",
  rest_client_request_duration_seconds: "How long the API server takes to answer.",
  rest_client_rate_limiter_duration_seconds:
    "How long requests wait for a free connection; nothing else holds them back on this side.",
  rest_client_request_size_bytes: "Bytes sent.",
  rest_client_response_size_bytes: "Bytes of answers; of a watch they aren't known.",
  rest_client_dns_resolution_duration_seconds: "How long it takes to find the API server's address.",
  rest_client_exec_plugin_certificate_rotation_age:
    "Seconds that certificates of a credential program lived.",
  rest_client_exec_plugin_ttl_seconds:
    "Seconds until the certificate of a credential program ends; +Inf without one.",
} as const;

type MetricName = keyof typeof descriptions;

/** All metrics of a manager. Names and labels are controller-runtime's, so that its dashboards and alerts work. */
export class RuntimeMetrics {
  readonly #meters = new Meters();
  readonly registry = this.#meters.registry;
  readonly controllers = controllerMetrics(this.#meters);
  readonly client: ReturnType<typeof clientMetrics>;
  readonly webhooks: WebhookObserver;
  readonly migrations = migrationMetrics(this.#meters);
  readonly #conditions: ConditionExports;
  readonly #isLeading: Gauge<"name">;
  readonly #blockedSeconds: Counter;
  readonly #callbackErrors: Counter<"callback">;
  readonly #healthCheckFailures: Counter<"endpoint" | "check">;

  constructor(parts: MeasuredParts) {
    const meters = this.#meters;
    this.#conditions = parts.conditions;
    this.client = clientMetrics(meters, parts.clock);
    this.#isLeading = meters.gauge("leader_election_master_status", "name");
    this.#blockedSeconds = meters.counter("tsbuilder_event_loop_blocked_seconds_total");
    this.#callbackErrors = meters.counter("tsbuilder_callback_errors_total", "callback");
    this.#healthCheckFailures = meters.counter("tsbuilder_health_check_failures_total", "endpoint", "check");
    this.webhooks = webhookMetrics(meters);
    measureCache(meters, parts);
    measureLimits(meters, parts.memory);
    if (parts.sharing) parts.sharing.member.observer = measureShards(meters, parts.sharing);
    collectDefaultMetrics({ register: this.registry });
  }

  /** The text for Prometheus: the runtime's metrics, those of objects, and what the operator registered with prom-client itself. */
  async text(): Promise<string> {
    return `${await this.registry.metrics()}\n${await this.#conditions.text()}\n${await register.metrics()}`;
  }

  /** Returns the text and its media type: OpenMetrics for who accepts it, if there are exemplars, which only that can tell. */
  async scrape(accept = ""): Promise<{ readonly text: string; readonly contentType: string }> {
    const text = await this.text();
    if (!tracingApi() || !accept.includes("application/openmetrics-text"))
      return { text, contentType: this.registry.contentType };
    return { text: this.#meters.exemplars.openMetrics(text), contentType: openMetricsType };
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

/** Defines metrics in a registry. */
class Meters {
  readonly registry = new Registry();
  readonly exemplars = new Exemplars();

  counter<Label extends string>(name: MetricName, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help: descriptions[name], labelNames, registers: [this.registry] });
  }

  histogram<Label extends string>(
    name: MetricName,
    buckets: readonly number[],
    ...labelNames: Label[]
  ): Histogram<Label> {
    this.exemplars.define(name, buckets);
    return new Histogram({
      name,
      help: descriptions[name],
      labelNames,
      buckets: [...buckets],
      registers: [this.registry],
    });
  }

  gauge<Label extends string>(name: MetricName, ...labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help: descriptions[name], labelNames, registers: [this.registry] });
  }

  /** A gauge that is computed when it is scraped. */
  computed<Label extends string>(
    name: MetricName,
    labelNames: Label[],
    compute: (gauge: Gauge<Label>) => void,
  ): void {
    const collect = (): void => {
      gauge.reset();
      compute(gauge);
    };
    const gauge: Gauge<Label> = new Gauge({
      name,
      help: descriptions[name],
      labelNames,
      collect,
      registers: [this.registry],
    });
  }
}

/** The limits that `process_resident_memory_bytes` and `nodejs_heap_size_used_bytes` are to be compared with. */
function measureLimits(meters: Meters, { container, heap }: MemoryLimits): void {
  meters.gauge("tsbuilder_heap_limit_bytes").set(heap);
  // A limit of 0 would look like one that is exceeded.
  if (container === undefined) return;
  meters.gauge("tsbuilder_container_memory_limit_bytes").set(container);
}

/** From 5 ms to a minute, like controller-runtime's: dashboards compute with them. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** From 10 ns to 1000 s, tenfold: controller-runtime's buckets for queues and webhooks. */
const tenfoldBuckets: readonly number[] = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));
const results = ["success", "error", "requeue", "requeue_after"] as const;

/** The labels of queues: both are the name of the controller. */
const queueLabels = ["name", "controller"] as const;

/** The metrics of all controllers of a process, under controller-runtime's names. */
function controllerMetrics(meters: Meters) {
  const controllers = new Map<string, ObservedController>();
  const reconciles = meters.counter("controller_runtime_reconcile_total", "controller", "result");
  const failureCounter = (name: MetricName) => meters.counter(name, "controller");
  const failures = {
    error: failureCounter("controller_runtime_reconcile_errors_total"),
    terminal: failureCounter("controller_runtime_terminal_reconcile_errors_total"),
    panic: failureCounter("controller_runtime_reconcile_panics_total"),
    timeout: failureCounter("controller_runtime_reconcile_timeouts_total"),
  };
  const reconcileTime = "controller_runtime_reconcile_time_seconds";
  const durations = meters.histogram(reconcileTime, reconcileBuckets, "controller");
  const queueCounter = (name: MetricName) => meters.counter(name, ...queueLabels);
  const allAdds = queueCounter("workqueue_adds_total");
  const allRetries = queueCounter("workqueue_retries_total");
  const queueHistogram = (name: MetricName) => meters.histogram(name, tenfoldBuckets, ...queueLabels);
  const queueDurations = queueHistogram("workqueue_queue_duration_seconds");
  const workDurations = queueHistogram("workqueue_work_duration_seconds");
  const defineGauge = (
    name: MetricName,
    labels: readonly ("name" | "controller")[],
    value: (controller: ObservedController) => number,
  ): void =>
    meters.computed(name, [...labels], (metric) => {
      for (const controller of controllers.values())
        metric.set(Object.fromEntries(labels.map((label) => [label, controller.name])), value(controller));
    });
  defineGauge("controller_runtime_max_concurrent_reconciles", ["controller"], ({ workers }) => workers);
  defineGauge("controller_runtime_active_workers", ["controller"], ({ active }) => active);
  meters.computed("workqueue_depth", [...queueLabels, "priority"], (depth) => {
    for (const { name, queue } of controllers.values())
      for (const [priority, count] of depthsByLabel(queue.depths))
        depth.set({ name, controller: name, priority }, count);
  });
  defineGauge("tsbuilder_failing_requests", ["controller"], ({ queue }) => queue.failing);
  defineGauge("workqueue_unfinished_work_seconds", queueLabels, ({ workingSeconds }) => sum(workingSeconds));
  defineGauge("workqueue_longest_running_processor_seconds", queueLabels, ({ workingSeconds }) =>
    Math.max(0, ...workingSeconds),
  );
  return {
    /** Starts counting for a controller, with every label at 0: a rate needs a first value. */
    observe(controller: ObservedController): ControllerObserver {
      const { name } = controller;
      controllers.set(name, controller);
      const queue = { name, controller: name };
      const counters = Object.fromEntries(
        results.map((result) => [result, reconciles.labels({ controller: name, result })]),
      );
      for (const counter of Object.values(counters)) counter.inc(0);
      for (const counter of Object.values(failures)) counter.inc({ controller: name }, 0);
      const seconds = durations.labels({ controller: name });
      const adds = allAdds.labels(queue);
      const retries = allRetries.labels(queue);
      const waited = queueDurations.labels(queue);
      const worked = workDurations.labels(queue);
      adds.inc(0);
      retries.inc(0);
      return {
        reconciled: (result, milliseconds) => {
          counters[result]?.inc();
          seconds.observe(milliseconds / 1000);
          meters.exemplars.note(reconcileTime, { controller: name }, milliseconds / 1000);
        },
        failed: (kind) => failures[kind].inc({ controller: name }),
        added: () => adds.inc(),
        retried: () => retries.inc(),
        taken: (milliseconds) => waited.observe(milliseconds / 1000),
        finished: (milliseconds) => worked.observe(milliseconds / 1000),
      };
    },

    /** Ends the series of a controller: its cluster was removed. */
    forget({ name }: ObservedController): void {
      controllers.delete(name);
      for (const result of results) reconciles.remove({ controller: name, result });
      for (const counter of [...Object.values(failures), durations]) counter.remove({ controller: name });
      for (const metric of [allAdds, allRetries, queueDurations, workDurations])
        metric.remove({ name, controller: name });
    },
  };
}

/** A priority is any number; the number of label values must be limited. */
const maxPriorities = 25;

function depthsByLabel(depths: ReadonlyMap<number, number>): [string, number][] {
  // An empty queue is a 0 rather than a gap in the graph.
  if (depths.size === 0) return [["0", 0]];
  if (depths.size <= maxPriorities) return [...depths].map(([priority, count]) => [String(priority), count]);
  return [["exceeded_cardinality_limit", sum([...depths.values()])]];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Metrics of a process that shares the objects with others. */
function measureShards(meters: Meters, { member, gate }: Sharing): MemberObserver {
  const defineGauge = (name: MetricName, value: () => number): void =>
    meters.computed(name, [], (metric) => metric.set(value()));
  defineGauge("tsbuilder_shard_members", () => member.members);
  defineGauge("tsbuilder_shard_ranges_held", () => countRanges(gate.open));
  defineGauge("tsbuilder_shard_foreign_objects", () => gate.dropped);
  const moves = meters.counter("tsbuilder_shard_moves_total", "direction");
  for (const direction of ["gained", "lost"]) moves.inc({ direction }, 0);
  const wait = meters.histogram("tsbuilder_shard_wait_seconds", [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60]);
  return {
    gained: (ranges) => moves.inc({ direction: "gained" }, ranges),
    lost: (ranges) => moves.inc({ direction: "lost" }, ranges),
    waited: (milliseconds) => wait.observe(milliseconds / 1000),
  };
}

/** The metrics of webhooks and of their certificate, under controller-runtime's names. */
function webhookMetrics(meters: Meters): WebhookObserver {
  const latency = "controller_runtime_webhook_latency_seconds";
  const seconds = meters.histogram(latency, tenfoldBuckets, "webhook");
  const requests = meters.counter("controller_runtime_webhook_requests_total", "webhook", "code");
  const inFlight = meters.gauge("controller_runtime_webhook_requests_in_flight", "webhook");
  const panics = meters.counter("controller_runtime_webhook_panics_total");
  const conversionPanics = meters.counter("controller_runtime_conversion_webhook_panics_total");
  const reads = meters.counter("certwatcher_read_certificate_total");
  const readErrors = meters.counter("certwatcher_read_certificate_errors_total");
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
        meters.exemplars.note(latency, { webhook }, end());
        inFlight.dec({ webhook });
        requests.inc({ webhook, code: String(code) });
      };
    },
    certified({ cert }) {
      // Defined late, because a value of 0 would look like a certificate that has expired.
      expiry ??= meters.gauge("tsbuilder_webhook_certificate_expiry_timestamp_seconds");
      expiry.set(describeCertificate(cert).notAfter.getTime() / 1000);
    },
    panicked: (webhook) => (webhook === "/convert" ? conversionPanics : panics).inc(),
    read(isOk) {
      reads.inc();
      if (!isOk) readErrors.inc();
    },
  };
}

/** Measures how far storage migrations are. */
function migrationMetrics(meters: Meters) {
  const rewritten = meters.counter("tsbuilder_storage_migration_objects_rewritten_total", "crd");
  const left = meters.gauge("tsbuilder_storage_migration_objects_left", "crd");
  return {
    stepped(crd: string, step: MigrationStep): void {
      rewritten.inc({ crd }, step.writtenNow);
      const objects = objectsLeft(step);
      if (objects === undefined) left.remove({ crd });
      else left.set({ crd }, objects);
    },
  };
}

/** Returns the objects that are still to be written; undefined while nobody has counted them. */
function objectsLeft(step: MigrationStep): number | undefined {
  switch (step.state) {
    case "running":
      return step.total === undefined ? undefined : step.total - step.written;
    case "rejected":
      return step.count;
    case "current":
    case "migrated":
      return 0;
  }
}

/** Measures the cache: its memory, of which operators run out, and watches that went silent. */
function measureCache(meters: Meters, { cache, droppedEvents }: MeasuredParts): void {
  const defineGauge = (
    name: MetricName,
    value: (stats: ObjectCache["informers"][number]["stats"]) => number,
  ): void =>
    meters.computed(name, ["group", "version", "kind"], (metric) => {
      for (const { kind, stats } of cache.informers)
        metric.inc({ group: kind.group, version: kind.version, kind: kind.kind }, value(stats));
    });
  defineGauge("tsbuilder_informer_objects", ({ objects }) => objects);
  defineGauge("tsbuilder_informer_bytes", ({ bytes }) => bytes);
  defineGauge("tsbuilder_informer_last_event_age_seconds", ({ lastEventAge = 0 }) => lastEventAge / 1000);
  defineGauge("tsbuilder_informer_relists", ({ relists }) => relists);
  defineGauge("tsbuilder_informer_watch_errors", ({ watchErrors }) => watchErrors);
  meters.computed("tsbuilder_events_dropped", [], (dropped) => dropped.set(droppedEvents()));
}

/** client-go's buckets, in seconds and bytes. */
const latencyBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizeBuckets = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/** client-go's: ten minutes to four years, for rotations that are too frequent, in time, or too late. */
const ageBuckets = [
  600, 1800, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

/** The metrics of a client, with client-go's names, labels and buckets. */
function clientMetrics(meters: Meters, clock: Clock) {
  let certificate: CertificateSpan | undefined;
  const requests = meters.counter("rest_client_requests_total", "code", "method", "host");
  const retries = meters.counter("rest_client_request_retries_total", "code", "verb", "host");
  const programRuns = meters.counter("rest_client_exec_plugin_call_total", "code", "call_status");
  const byVerb = (name: MetricName, buckets: readonly number[]) =>
    meters.histogram(name, buckets, "verb", "host");
  const duration = "rest_client_request_duration_seconds";
  const seconds = byVerb(duration, latencyBuckets);
  const waited = byVerb("rest_client_rate_limiter_duration_seconds", latencyBuckets);
  const requestBytes = byVerb("rest_client_request_size_bytes", sizeBuckets);
  const responseBytes = byVerb("rest_client_response_size_bytes", sizeBuckets);
  const lookups = meters.histogram(
    "rest_client_dns_resolution_duration_seconds",
    latencyBuckets.slice(0, -1),
    "host",
  );
  const certificateAges = meters.histogram("rest_client_exec_plugin_certificate_rotation_age", ageBuckets);
  meters.computed("rest_client_exec_plugin_ttl_seconds", [], (ttl) =>
    ttl.set(certificate ? (certificate.to - clock.now()) / 1000 : Infinity),
  );
  return {
    request(report: RequestReport): void {
      const { code, method, host } = report;
      const labels = { verb: method, host };
      requests.inc({ code, method, host });
      if (report.attempt > 0) retries.inc({ code, ...labels });
      seconds.observe(labels, report.seconds);
      meters.exemplars.note(duration, labels, report.seconds);
      waited.observe(labels, report.waited);
      requestBytes.observe(labels, report.requestBytes);
      if (report.responseBytes !== undefined) responseBytes.observe(labels, report.responseBytes);
    },
    lookup(report: LookupReport): void {
      lookups.observe({ host: report.host }, report.seconds);
    },
    programRan(code: number, ending: ProgramEnding): void {
      programRuns.inc({ code: String(code), call_status: ending });
    },
    certificateChanged(next: CertificateSpan | undefined): void {
      if (certificate) certificateAges.observe((clock.now() - certificate.from) / 1000);
      certificate = next;
    },
  };
}
