import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSources, repository } from "../../../../e2e/support/source-imports.ts";
import { alertGroups, metricsPage, operatorMetrics } from "./reference-pages.ts";

const metrics = operatorMetrics();
const text = metricsPage().body.join("\n");

test("the page has each metric once, with its type and labels", () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name!);
  expect(rows.sort()).toEqual(metrics.map(({ name }) => name).sort());
  expect(text).toContain("| `workqueue_depth` | gauge | `name`, `controller`, `priority` | ");
});

test("every metric that the runtime's sources name is there", () => {
  const sources = listSources("src/runtime/metrics").filter((file) => !file.endsWith(".test.ts"));
  const named = sources.flatMap((file) =>
    [
      ...readFileSync(join(repository, file), "utf8").matchAll(
        /"((?:controller_runtime|workqueue|rest_client|leader_election|tsbuilder|certwatcher)_\w+|(?:\w+_)+(?:total|seconds|bytes))"/g,
      ),
    ].map(([, name]) => name!),
  );
  const known = metrics.map(({ name }) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !known.some((one) => one.endsWith(name)))).toEqual([]);
});

test("alerts are made of metrics that the page describes", () => {
  const known = new Set(metrics.map(({ name }) => name));
  const rules = alertGroups().flatMap((group) => group.rules);
  const unknown = rules.flatMap(({ expr }) =>
    (expr.match(/\b[a-z]+(?:_[a-z]+)+(?=\{)/g) ?? []).filter(
      (name) => !known.has(name) && !known.has(name.replace(/_(?:bucket|sum|count)$/, "")),
    ),
  );
  expect(rules.length).toBeGreaterThan(15);
  expect(unknown).toEqual([]);
  // `up` is Prometheus' own.
  expect(rules.filter(({ expr }) => !/\b(?:up|[a-z]+(?:_[a-z]+)+)\{/.test(expr))).toEqual([]);
});
