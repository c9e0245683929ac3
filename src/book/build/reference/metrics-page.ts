import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createCA } from "@tsbuilder/apimachinery/certs";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { type MeasuredParts, RuntimeMetrics } from "../../../runtime/metrics/runtime-metrics.ts";
import { type Page, anchorOf, code, codeBlock, prose, table } from "./markdown.ts";
import { readYaml } from "../../../shared/read-yaml.ts";

/** A metric as prom-client keeps it. */
export interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** The groups of metrics on the page, in order: the title, and the prefixes of the metrics. */
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

/** Returns the page of all metrics of an operator, from the registry that is scraped. */
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

/** Returns the metrics of an operator with webhooks and shards, in a container with a memory limit. */
export function operatorMetrics(): Metric[] {
  const parts = { sharing: { member: {}, gate: {} }, memory: { container: 1, heap: 1 }, clock: systemClock };
  const { webhooks, registry } = new RuntimeMetrics(parts as unknown as MeasuredParts);
  webhooks.certified(createCA({ commonName: "webhooks" }));
  return (registry.getMetricsAsArray() as unknown as Metric[]).toSorted((a, b) =>
    a.name.localeCompare(b.name),
  );
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}

interface PrometheusRule {
  readonly spec: { readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] };
}

const templates = join(import.meta.dirname, "../../../../templates/kustomize/feature");

/** Returns the page of all alerts that a project can have, from the templates that scaffold them. */
export function alertsPage(): Page {
  const groups = alertGroups();
  return {
    title: "Alerts",
    order: 7,
    body: [
      `${code("tsbuilder edit --enable prometheus,alerts")} adds these to ${code("config/alerts")}, those of webhooks and shards only to a project that has them. They are yours to edit. ${code("PROJECT")} stands for the project's name.`,
      table(
        ["alert", "severity", "after", "what it says"],
        groups.flatMap(({ rules }) =>
          rules.map(({ alert, labels, for: duration = "", annotations }) => [
            `[${alert}](#${alert.toLowerCase()})`,
            labels.severity,
            duration,
            prose(annotations.summary),
          ]),
        ),
      ),
      ...groups.flatMap(({ rules }) => rules.flatMap(describe)),
    ],
  };
}

function describe({ alert, expr, for: duration, annotations }: Rule): string[] {
  return [
    `## ${alert}`,
    prose(annotations.summary),
    prose(annotations.description),
    `**What to do:** ${prose(annotations.runbook)}`,
    codeBlock(
      "yaml",
      [
        `alert: ${alert}`,
        "expr: |-",
        ...expr.split("\n").map((line) => `  ${line}`),
        ...(duration === undefined ? [] : [`for: ${duration}`]),
      ].join("\n"),
    ),
  ];
}

/** Reads the groups of all rules, the operator's first. */
export function alertGroups(): PrometheusRule["spec"]["groups"] {
  const features = readdirSync(templates).filter((name) => /^alerts(?:-|$)/u.test(name));
  return features.flatMap((feature) => {
    const folder = join(templates, feature, "config/alerts");
    const files = readdirSync(folder).filter((file) => !file.startsWith("kustomization"));
    return files.flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8")
        .replaceAll("{{projectName}}", "PROJECT")
        .replaceAll("\\{{", "{{");
      return (readYaml(file, text) as PrometheusRule[]).flatMap(({ spec }) => spec.groups);
    });
  });
}
