import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "../../../shared/read-yaml.ts";
import { code, codeBlock, type Page, prose, table } from "./markdown.ts";

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

/** The alerts that a project can have, from the templates that scaffold them. */
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

/** The groups of all rules, the operator's first. */
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
