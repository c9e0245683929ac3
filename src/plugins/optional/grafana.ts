import type { PluginDefinition, ProjectInput } from "../contract/define-plugin.ts";
import type { FeatureName } from "../../project/project.ts";

/** Dashboards for Grafana: one of the runtime's metrics, and one of the user's own. */
export const grafana: PluginDefinition = {
  key: "grafana.tsbuilder.dev/v1",
  summary: "dashboards for Grafana: of the runtime's metrics, and of your own with --metric",
  flags: {
    metric: {
      type: "list",
      summary:
        "a metric of your own and its type, counter, gauge or histogram: orders_total:counter; may be repeated",
      placeholder: "NAME:TYPE",
      commands: ["init", "edit"],
      pattern: /^[a-zA-Z_:][\w:]*:(?:counter|gauge|histogram)$/,
    },
  },
  init: ({ project, options }: ProjectInput) => ({
    files: [
      dashboard(project.projectName, "runtime", runtimePanels(project.features)),
      ...(isTexts(options["metric"])
        ? [dashboard(project.projectName, "custom-metrics", options["metric"].map(ownPanel))]
        : []),
    ],
  }),
};

/** The panels of the runtime's metrics, for what the project has. */
export function runtimePanels(features: readonly FeatureName[]): readonly Panel[] {
  return [
    ...controllerPanels,
    ...clientPanels,
    ...processPanels,
    ...(features.includes("webhook") ? webhookPanels : []),
    ...(features.includes("sharding") ? shardPanels : [leaderPanel]),
  ];
}

/** The panel of a metric of the user's, `NAME:TYPE`. */
export function ownPanel(metric: string): Panel {
  const at = metric.lastIndexOf(":");
  const [name, type] = [metric.slice(0, at), metric.slice(at + 1)];
  if (type === "counter") return { title: name, query: rate(name, "job"), unit: "ops" };
  if (type === "histogram") return { title: `${name}, p99`, query: p99(name, "job"), unit: unitOf(name) };
  return { title: name, query: gauge(name), unit: unitOf(name) };
}

/** The unit that Prometheus' conventions put at the end of a name. */
function unitOf(name: string): string {
  if (name.endsWith("_seconds")) return "s";
  return name.endsWith("_bytes") ? "bytes" : "none";
}

const gauge = (metric: string): string => `${metric}{job="$job"}`;

const sum = (metric: string, by: string): string => `sum by (${by}) (${gauge(metric)})`;

const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}{job="$job"}[5m]))`;

const p99 = (metric: string, by: string): string =>
  `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket{job="$job"}[5m])))`;

const byKind = "group, version, kind";

const controllerPanels: readonly Panel[] = [
  {
    title: "Reconciles by result",
    query: rate("controller_runtime_reconcile_total", "controller, result"),
    unit: "ops",
  },
  {
    title: "Reconcile errors",
    query: rate("controller_runtime_reconcile_errors_total", "controller"),
    unit: "ops",
  },
  {
    title: "Requests that keep failing",
    query: sum("tsbuilder_failing_requests", "controller"),
    unit: "none",
  },
  {
    title: "Reconcile time, p99",
    query: p99("controller_runtime_reconcile_time_seconds", "controller"),
    unit: "s",
  },
  {
    title: "Longest running reconcile",
    query: gauge("workqueue_longest_running_processor_seconds"),
    unit: "s",
  },
  {
    title: "Workers that are busy",
    query: `${sum("controller_runtime_active_workers", "controller")} / ${sum("controller_runtime_max_concurrent_reconciles", "controller")}`,
    unit: "percentunit",
  },
  { title: "Queue depth", query: gauge("workqueue_depth"), unit: "none" },
  { title: "Time in the queue, p99", query: p99("workqueue_queue_duration_seconds", "name"), unit: "s" },
  { title: "Requests added", query: rate("workqueue_adds_total", "name"), unit: "ops" },
  { title: "Retries", query: rate("workqueue_retries_total", "name"), unit: "ops" },
];

const clientPanels: readonly Panel[] = [
  { title: "Requests to the API server", query: rate("rest_client_requests_total", "code"), unit: "reqps" },
  {
    title: "Time of requests, p99",
    query: p99("rest_client_request_duration_seconds", "verb"),
    unit: "s",
  },
  { title: "Objects in the cache", query: sum("tsbuilder_informer_objects", byKind), unit: "none" },
  { title: "Size of the cache", query: sum("tsbuilder_informer_bytes", byKind), unit: "bytes" },
  {
    title: "Time since a watch sent anything",
    query: gauge("tsbuilder_informer_last_event_age_seconds"),
    unit: "s",
  },
  { title: "Watches that failed", query: rate("tsbuilder_informer_watch_errors", byKind), unit: "ops" },
  { title: "Full lists after the first", query: rate("tsbuilder_informer_relists", byKind), unit: "ops" },
];

const processPanels: readonly Panel[] = [
  { title: "Memory", query: gauge("process_resident_memory_bytes"), unit: "bytes" },
  {
    title: "Heap, of what V8 allows",
    query: `${gauge("nodejs_heap_size_used_bytes")} / ${gauge("tsbuilder_heap_limit_bytes")}`,
    unit: "percentunit",
  },
  { title: "Processor", query: rate("process_cpu_seconds_total", "pod, instance"), unit: "none" },
  { title: "Event loop lag, p99", query: gauge("nodejs_eventloop_lag_p99_seconds"), unit: "s" },
  {
    title: "Event loop blocked",
    query: rate("tsbuilder_event_loop_blocked_seconds_total", "pod, instance"),
    unit: "percentunit",
  },
];

const leaderPanel: Panel = { title: "Leader", query: gauge("leader_election_master_status"), unit: "none" };

const shardPanels: readonly Panel[] = [
  { title: "Shards of each process, of 64", query: gauge("tsbuilder_shard_ranges_held"), unit: "none" },
  { title: "Shards that move", query: rate("tsbuilder_shard_moves_total", "direction"), unit: "ops" },
];

const webhookPanels: readonly Panel[] = [
  {
    title: "Calls of webhooks",
    query: rate("controller_runtime_webhook_requests_total", "webhook, code"),
    unit: "reqps",
  },
  {
    title: "Webhook latency, p99",
    query: p99("controller_runtime_webhook_latency_seconds", "webhook"),
    unit: "s",
  },
  {
    title: "Until the webhooks' certificate expires",
    query: `${gauge("tsbuilder_webhook_certificate_expiry_timestamp_seconds")} - time()`,
    unit: "s",
  },
];

/** A graph of one query. */
interface Panel {
  readonly title: string;
  /** PromQL; `$job` is the operator's. */
  readonly query: string;
  /** One of Grafana's units: `s`, `bytes`, `ops`, `none`. */
  readonly unit: string;
}

/** The file of a dashboard, which users may edit, or overwrite with what they export from Grafana. */
function dashboard(projectName: string, name: string, panels: readonly Panel[]) {
  const content = {
    title: `${projectName}: ${name}`,
    uid: `${projectName}-${name}`.slice(0, 40),
    tags: ["tsbuilder"],
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: {
      list: [
        { name: "datasource", type: "datasource", query: "prometheus" },
        {
          name: "job",
          type: "query",
          datasource: { type: "prometheus", uid: "$datasource" },
          query: "label_values(tsbuilder_heap_limit_bytes, job)",
          refresh: 2,
        },
      ],
    },
    panels: panels.map(({ title, query, unit }, i) => ({
      id: i + 1,
      type: "timeseries",
      title,
      gridPos: { x: (i % 2) * 12, y: Math.floor(i / 2) * 8, w: 12, h: 8 },
      datasource: { type: "prometheus", uid: "$datasource" },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: [{ refId: "A", expr: query }],
    })),
  };
  return { path: `config/grafana/${name}.json`, content: `${JSON.stringify(content, undefined, 2)}\n` };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
