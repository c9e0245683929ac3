import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useProjectFolder } from "../../../e2e/support/project-folder.ts";
import { repository } from "../../../e2e/support/source-imports.ts";

const { call, initialize, read, snapshot } = useProjectFolder();
const choose = "edit --plugins grafana.tsbuilder.dev/v1 --make=false";

function queries(path: string): string[] {
  const { panels } = JSON.parse(read(path)) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

test("the dashboard asks for metrics that the runtime has", async () => {
  await initialize();
  await call(choose);
  const folder = join(repository, "src/runtime/metrics");
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith("metrics.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
  const names = queries("config/grafana/runtime.json").flatMap(
    (query) => query.match(/[a-z_]+(?=\{)/gu) ?? [],
  );
  // Two prefixes are added where the names are registered.
  const known = names.map((name) =>
    name
      .replace(/_bucket$/u, "")
      .replace(/^rest_client_/u, "")
      .replace(/^controller_runtime_(.*errors)_total$/u, "$1"),
  );
  expect(known.length).toBeGreaterThan(5);
  expect(known.filter((name) => !sources.includes(`"${name}"`))).toEqual([]);
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
