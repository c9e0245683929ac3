import type { PluginDefinition, ProjectInput } from "../contributed/define-plugin.ts";

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
      dashboard(project.projectName, "runtime", runtimePanels),
      ...(isTexts(options["metric"])
        ? [dashboard(project.projectName, "custom-metrics", options["metric"].map(ownPanel))]
        : []),
    ],
  }),
};

interface Panel {
  readonly title: string;
  /** PromQL; `$job` is the operator's. */
  readonly query: string;
  readonly unit: string;
}

const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}{job="$job"}[5m]))`;
const p99 = (metric: string, by: string): string =>
  `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket{job="$job"}[5m])))`;

const runtimePanels: readonly Panel[] = [
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
    title: "Reconcile time, p99",
    query: p99("controller_runtime_reconcile_time_seconds", "controller"),
    unit: "s",
  },
  { title: "Active workers", query: 'controller_runtime_active_workers{job="$job"}', unit: "none" },
  { title: "Queue depth", query: 'workqueue_depth{job="$job"}', unit: "none" },
  { title: "Time in the queue, p99", query: p99("workqueue_queue_duration_seconds", "name"), unit: "s" },
  { title: "Retries", query: rate("workqueue_retries_total", "name"), unit: "ops" },
  { title: "Requests to the API server", query: rate("rest_client_requests_total", "code"), unit: "reqps" },
  { title: "Leader", query: 'leader_election_master_status{job="$job"}', unit: "none" },
  {
    title: "Webhook latency, p99",
    query: p99("controller_runtime_webhook_latency_seconds", "webhook"),
    unit: "s",
  },
];

function ownPanel(metric: string): Panel {
  const at = metric.lastIndexOf(":");
  const [name, type] = [metric.slice(0, at), metric.slice(at + 1)];
  if (type === "counter") return { title: name, query: rate(name, "job"), unit: "ops" };
  if (type === "histogram") return { title: `${name}, p99`, query: p99(name, "job"), unit: "none" };
  return { title: name, query: `${name}{job="$job"}`, unit: "none" };
}

/** A dashboard is data of ours, always overwritten: it is edited in Grafana, and saved there under another name. */
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
          query: "label_values(controller_runtime_reconcile_total, job)",
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
  return {
    path: `config/grafana/${name}.json`,
    content: `${JSON.stringify(content, undefined, 2)}\n`,
    ownership: "generated" as const,
  };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
