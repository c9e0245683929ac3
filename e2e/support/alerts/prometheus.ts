import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { run } from "../../golden/golden-projects.ts";

/** Why tests that need a real Prometheus are left out; undefined if it is installed. */
export function missingPrometheus(): string | undefined {
  if (["prometheus", "promtool"].every((program) => spawnSync(program, ["--version"]).status === 0))
    return undefined;
  return "prometheus is not installed (apt-get install prometheus)";
}

/** A rule of a PrometheusRule, as scaffolded. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** All alerts of a project called `shop`, with every feature that has some. */
export async function scaffoldAlerts(): Promise<readonly AlertRule[]> {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-alerts-"));
  try {
    await run("init --domain example.com --project-name shop --skip-install".split(" "), root);
    await run("edit --enable prometheus,alerts,webhook,self-signed,sharding --make=false".split(" "), root);
    return readAlerts(join(root, "config/alerts"));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The alerts of all PrometheusRules in a folder. */
export function readAlerts(folder: string): readonly AlertRule[] {
  return readdirSync(folder)
    .map((name) => parse(readFileSync(join(folder, name), "utf8")) as PrometheusRule)
    .filter(({ kind }) => kind === "PrometheusRule")
    .flatMap(({ spec }) => spec.groups.flatMap(({ rules }) => rules));
}

interface PrometheusRule {
  readonly kind: string;
  readonly spec: { readonly groups: readonly { readonly rules: readonly AlertRule[] }[] };
}
