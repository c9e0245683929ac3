import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { goldenProjects } from "../../golden/golden-projects.ts";
import { type AlertCase, alertCases, silentCases } from "../../support/alerts/alert-series.ts";
import {
  type AlertRule,
  missingPrometheus,
  readAlerts,
  scaffoldAlerts,
} from "../../support/alerts/prometheus.ts";
import { repository } from "../../support/source-imports.ts";

// Prometheus' own tool checks the alerts as they are scaffolded, and moves its clock: `for` and all windows are real.

const missing = missingPrometheus();
if (missing !== undefined) console.log(`left out: the alerts by promtool: ${missing}`);
let folder: string;
let rules: readonly AlertRule[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-promtool-"));
  rules = await scaffoldAlerts();
  writeFileSync(join(folder, "rules.yml"), JSON.stringify({ groups: [{ name: "shop", rules }] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every alert has a severity, a summary, a description, what to do, a line in the docs, and a case below", () => {
  const docs = readFileSync(join(repository, "src/book/guides/alerts.md"), "utf8");
  for (const { alert, labels, annotations } of rules) {
    expect(["critical", "warning"], `of ${alert}`).toContain(labels["severity"]);
    expect(docs).toContain(`\`${alert}\`${labels["severity"] === "critical" ? " (critical)" : ""}`);
    expect(Object.keys(annotations), `of ${alert}`).toEqual(["summary", "description", "runbook"]);
  }
  expect(new Set(alertCases.map(({ alert }) => alert))).toEqual(new Set(rules.map(({ alert }) => alert)));
});

test.skipIf(missing !== undefined)("promtool finds nothing wrong in what the golden projects have", () => {
  const folders = goldenProjects
    .map((name) => join(repository, "e2e/golden", name, "config/alerts"))
    .filter((path) => existsSync(path));
  expect(folders).not.toEqual([]);
  for (const [at, path] of folders.entries()) {
    const file = join(folder, `golden-${at}.yml`);
    writeFileSync(file, JSON.stringify({ groups: [{ name: "golden", rules: readAlerts(path) }] }));
    expect(promtool("check", "rules", "--lint=all", "--lint-fatal", file)).toContain("SUCCESS");
  }
});

test.skipIf(missing !== undefined).each(alertCases.map((each, at) => [each.alert, at, each] as const))(
  "%s fires in case %i after its time, and no longer than its cause",
  (alert, at, { series, at: [before, firing, after] }) => {
    const file = join(folder, `case-${at}.yml`);
    const moments = [[before, false] as const, [firing, true] as const, [after, false] as const];
    writeFileSync(file, JSON.stringify(ruleTest(alert, series, moments)));
    expect(promtool("test", "rules", file)).toContain("SUCCESS");
  },
);

test.skipIf(missing !== undefined).each(silentCases)(
  "$alert does not fire when $why",
  ({ alert, series }) => {
    const file = join(folder, "silent.yml");
    const moments = Array.from({ length: 15 }, (_, at) => [10 + at * 2, false] as const);
    writeFileSync(file, JSON.stringify(ruleTest(alert, series, moments)));
    expect(promtool("test", "rules", file)).toContain("SUCCESS");
  },
);

/** A test of promtool: at these minutes the alert fires or not. */
function ruleTest(
  alert: string,
  series: AlertCase["series"],
  moments: readonly (readonly [minute: number, isFiring: boolean])[],
): object {
  return {
    rule_files: ["rules.yml"],
    evaluation_interval: "30s",
    tests: [
      {
        interval: "1m",
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: moments.map(([minute, isFiring]) => ({
          expr: `count(ALERTS{alertname="${alert}", alertstate="firing"})`,
          eval_time: `${minute}m`,
          exp_samples: isFiring ? [{ labels: "{}", value: 1 }] : [],
        })),
      },
    ],
  };
}

/** The output of promtool. */
function promtool(...args: string[]): string {
  const { stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  return stdout + stderr;
}
