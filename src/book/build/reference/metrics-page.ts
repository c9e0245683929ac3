import { createCA } from "@tsbuilder/apimachinery/certs";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { type MeasuredParts, RuntimeMetrics } from "../../../runtime/metrics/runtime-metrics.ts";
import { anchorOf, code, type Page, prose, table } from "./markdown.ts";

/** A metric as prom-client keeps it. */
export interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** What the page says of the metrics with one of these prefixes, in this order. */
const groups: readonly (readonly [title: string, ...prefixes: string[]])[] = [
  [
    "Webhooks",
    "controller_runtime_webhook",
    "controller_runtime_conversion",
    "tsbuilder_webhook",
    "certwatcher",
  ],
  ["Controllers", "controller_runtime", "tsbuilder_failing"],
  ["Queues", "workqueue"],
  ["The cache", "tsbuilder_informer"],
  ["Requests to the API server", "rest_client"],
  ["Leader election and shards", "leader_election", "tsbuilder_shard"],
  ["The process", "tsbuilder", "process", "nodejs"],
];

/** Every metric of an operator, from the registry that is scraped. */
export function metricsPage(): Page {
  const metrics = operatorMetrics();
  const groupOf = ({ name }: Metric): string | undefined =>
    groups.find(([, ...prefixes]) => prefixes.some((prefix) => name.startsWith(prefix)))?.[0];
  return {
    title: "Metrics",
    order: 6,
    body: [
      `An operator serves these metrics at ${code("/metrics")}. Names and labels are those of controller-runtime and client-go where these have one, so their dashboards and alerts work; ${code("tsbuilder_")} begins the names of those that Go doesn't have. A histogram has the series ${code("_bucket")}, ${code("_sum")} and ${code("_count")}.`,
      groups.map(([title]) => `- [${title}](#${anchorOf(title)})`).join("\n"),
      ...groups.flatMap(([title]) => [
        `## ${title}`,
        metricsTable(metrics.filter((metric) => groupOf(metric) === title)),
      ]),
    ],
  };
}

function metricsTable(metrics: readonly Metric[]): string {
  return table(
    ["metric", "type", "labels", "what it says"],
    metrics.map(({ name, type, labelNames, help }) => [
      code(name),
      type,
      labelNames.map(code).join(", "),
      prose(help),
    ]),
  );
}

/** The metrics of an operator that has webhooks and shards, and runs in a container with a limit. */
export function operatorMetrics(): Metric[] {
  const parts = { sharing: { member: {}, gate: {} }, memory: { container: 1, heap: 1 }, clock: systemClock };
  const { webhooks, registry } = new RuntimeMetrics(parts as unknown as MeasuredParts);
  webhooks.certified(createCA({ commonName: "webhooks" }));
  return (registry.getMetricsAsArray() as unknown as Metric[]).toSorted((a, b) =>
    a.name.localeCompare(b.name),
  );
}
