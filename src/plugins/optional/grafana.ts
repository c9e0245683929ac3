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
      ...(isNonEmptyTexts(options["metric"])
        ? [dashboard(project.projectName, "custom-metrics", options["metric"].map(customPanel))]
        : []),
    ],
  }),
};

/** A graph of one query. */
interface Panel {
  readonly title: string;
  /** PromQL; `$job` is the operator's. */
  readonly query: string;
  /** One of Grafana's units: `s`, `bytes`, `ops`, `none`. */
  readonly unit: string;
}

// The queries of a metric, for the operator's job.
const gauge = (metric: string): string => `${metric}{job="$job"}`;
const sum = (metric: string, by: string): string => `sum by (${by}) (${gauge(metric)})`;
const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}{job="$job"}[5m]))`;

const p99 = (metric: string, by: string): string =>
  `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket{job="$job"}[5m])))`;

const controllerPanels: readonly Panel[] = [
  panel("Reconciles by result", rate("controller_runtime_reconcile_total", "controller, result"), "ops"),
  panel("Reconcile errors", rate("controller_runtime_reconcile_errors_total", "controller"), "ops"),
  panel("Requests that keep failing", sum("tsbuilder_failing_requests", "controller"), "none"),
  panel("Reconcile time, p99", p99("controller_runtime_reconcile_time_seconds", "controller"), "s"),
  panel("Longest running reconcile", gauge("workqueue_longest_running_processor_seconds"), "s"),
  panel(
    "Workers that are busy",
    `${sum("controller_runtime_active_workers", "controller")} / ${sum("controller_runtime_max_concurrent_reconciles", "controller")}`,
    "percentunit",
  ),
  panel("Queue depth", gauge("workqueue_depth"), "none"),
  panel("Time in the queue, p99", p99("workqueue_queue_duration_seconds", "name"), "s"),
  panel("Requests added", rate("workqueue_adds_total", "name"), "ops"),
  panel("Retries", rate("workqueue_retries_total", "name"), "ops"),
];

const condition = "tsbuilder_object_status_condition_last_transition_time";

const objectPanels: readonly Panel[] = [
  panel("Objects by condition", sum("tsbuilder_objects_with_condition", "kind, condition, status"), "none"),
  panel(
    "Not ready for the longest time",
    `topk(10, time() - ${condition}{job="$job", condition=~"Ready|Available", status!="true"})`,
    "s",
  ),
  panel(
    "Objects whose change is not observed",
    `sum by (kind) (${gauge("tsbuilder_object_generation_lag")} > bool 0)`,
    "none",
  ),
  panel("Deletions that last", `topk(10, time() - ${gauge("tsbuilder_object_deletion_timestamp")})`, "s"),
];

const byKind = "group, version, kind";

const clientPanels: readonly Panel[] = [
  panel("Requests to the API server", rate("rest_client_requests_total", "code"), "reqps"),
  panel("Time of requests, p99", p99("rest_client_request_duration_seconds", "verb"), "s"),
  panel("Objects in the cache", sum("tsbuilder_informer_objects", byKind), "none"),
  panel("Size of the cache", sum("tsbuilder_informer_bytes", byKind), "bytes"),
  panel("Time since a watch sent anything", gauge("tsbuilder_informer_last_event_age_seconds"), "s"),
  panel("Watches that failed", rate("tsbuilder_informer_watch_errors", byKind), "ops"),
  panel("Full lists after the first", rate("tsbuilder_informer_relists", byKind), "ops"),
];

const processPanels: readonly Panel[] = [
  panel("Memory", gauge("process_resident_memory_bytes"), "bytes"),
  panel(
    "Heap, of what V8 allows",
    `${gauge("nodejs_heap_size_used_bytes")} / ${gauge("tsbuilder_heap_limit_bytes")}`,
    "percentunit",
  ),
  panel("Processor", rate("process_cpu_seconds_total", "pod, instance"), "none"),
  panel("Event loop lag, p99", gauge("nodejs_eventloop_lag_p99_seconds"), "s"),
  panel(
    "Event loop blocked",
    rate("tsbuilder_event_loop_blocked_seconds_total", "pod, instance"),
    "percentunit",
  ),
];

const leaderPanel = panel("Leader", gauge("leader_election_master_status"), "none");

const shardPanels: readonly Panel[] = [
  panel("Shards of each process, of 64", gauge("tsbuilder_shard_ranges_held"), "none"),
  panel("Shards that move", rate("tsbuilder_shard_moves_total", "direction"), "ops"),
];

const webhookPanels: readonly Panel[] = [
  panel("Calls of webhooks", rate("controller_runtime_webhook_requests_total", "webhook, code"), "reqps"),
  panel("Webhook latency, p99", p99("controller_runtime_webhook_latency_seconds", "webhook"), "s"),
  panel(
    "Until the webhooks' certificate expires",
    `${gauge("tsbuilder_webhook_certificate_expiry_timestamp_seconds")} - time()`,
    "s",
  ),
];

/** Lists the panels of the runtime's metrics, for the features of a project. */
export function runtimePanels(features: readonly FeatureName[]): readonly Panel[] {
  return [
    ...controllerPanels,
    ...objectPanels,
    ...clientPanels,
    ...processPanels,
    ...(features.includes("webhook") ? webhookPanels : []),
    ...(features.includes("sharding") ? shardPanels : [leaderPanel]),
  ];
}

/** Returns the panel of a metric of the user's, `NAME:TYPE`. A name may contain colons, too. */
export function customPanel(metric: string): Panel {
  const at = metric.lastIndexOf(":");
  const [name, type] = [metric.slice(0, at), metric.slice(at + 1)];
  if (type === "counter") return panel(name, rate(name, "job"), "ops");
  if (type === "histogram") return panel(`${name}, p99`, p99(name, "job"), unitOf(name));
  return panel(name, gauge(name), unitOf(name));
}

/** Returns the unit of a metric, which is the end of its name by Prometheus' conventions. */
function unitOf(name: string): string {
  if (name.endsWith("_seconds")) return "s";
  return name.endsWith("_bytes") ? "bytes" : "none";
}

function panel(title: string, query: string, unit: string): Panel {
  return { title, query, unit };
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

const isNonEmptyTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
