import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { repository } from "../../../e2e/support/source-imports.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;
const choose = "edit --plugins grafana.tsbuilder.dev/v1 --make=false";

function queries(path: string): string[] {
  const { panels } = JSON.parse(read(path)) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

test("the dashboard asks for metrics that the runtime has", async () => {
  await initialize();
  await call(`${choose} --enable webhook,self-signed,sharding`);
  const metrics = join(repository, "src/runtime/metrics");
  const sources = readdirSync(metrics)
    .filter((name) => name.endsWith("metrics.ts"))
    .map((name) => readFileSync(join(metrics, name), "utf8"))
    .join("\n");
  const names = queries("config/grafana/runtime.json").flatMap(
    (query) => query.match(/[a-z]\w+(?=\{)/gu) ?? [],
  );
  // prom-client has metrics of the process of its own.
  const ours = names.filter((name) => !/^(?:process|nodejs)_/u.test(name));
  expect(ours.length).toBeGreaterThan(20);
  // Some prefixes and suffixes are added where the names are registered.
  const prefixes = ["", "controller_runtime_", "rest_client_", "tsbuilder_informer_", "tsbuilder_shard_"];
  const literals = sources.match(/(?<=")[a-z_]+(?=")/gu) ?? [];
  const known = prefixes.flatMap((prefix) =>
    literals.flatMap((name) => ["", "_bucket", "_total"].map((suffix) => prefix + name + suffix)),
  );
  expect(ours.filter((name) => !known.includes(name))).toEqual([]);
});

test("metrics of the user's own get a dashboard, by their types", async () => {
  await initialize();
  await call(`${choose} --metric orders_total:counter,orders_open:gauge,order_seconds:histogram`);
  expect(queries("config/grafana/custom-metrics.json")).toEqual([
    'sum by (job) (rate(orders_total{job="$job"}[5m]))',
    'orders_open{job="$job"}',
    'histogram_quantile(0.99, sum by (le, job) (rate(order_seconds_bucket{job="$job"}[5m])))',
  ]);
  await expect(call("edit --metric orders:sum --make=false")).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
});

test("a dashboard has what the project has", async () => {
  await initialize();
  await call(choose);
  const has = (name: string): boolean => queries("config/grafana/runtime.json").join().includes(name);
  expect([has("webhook"), has("shard"), has("leader_election")]).toEqual([false, false, true]);
  await call("edit --enable webhook,self-signed,sharding --make=false");
  expect([has("webhook"), has("shard"), has("leader_election")]).toEqual([true, true, false]);
});

test("what the user edited in a dashboard stays when a metric is added", async () => {
  await initialize();
  await call(`${choose} --metric orders_total:counter`);
  const path = join(folder.root, "config/grafana/custom-metrics.json");
  writeFileSync(path, readFileSync(path, "utf8").replace('"now-1h"', '"now-7d"'));
  await call("edit --metric orders_total:counter,orders_open:gauge --make=false");
  expect(read("config/grafana/custom-metrics.json")).toContain('"now-7d"');
  expect(queries("config/grafana/custom-metrics.json")).toHaveLength(2);
});

test("the dashboards go with the plugin", async () => {
  await initialize();
  const before = snapshot();
  await call(`${choose} --metric orders_total:counter`);
  expect(await call("plugins")).toContain(
    "grafana.tsbuilder.dev/v1 (tsbuilder, 1.0.0): used for the project",
  );
  await call("edit --remove-plugins grafana.tsbuilder.dev/v1 --make=false");
  expect(snapshot()).toEqual(before);
});
