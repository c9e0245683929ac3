import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSources, repository } from "./source-imports.ts";

const index = "src/cluster/kinds/index.ts";

/** Code that handles all kinds by tables: discovery, columns, field numbers, generated types, bootstrap roles. */
const tables = ["src/apimachinery/kinds/build/overlay/", "src/apimachinery/k8s/", "src/cluster/bootstrap/"];

const sources = ["src/apimachinery", "src/cluster"]
  .flatMap(listSources)
  .filter((file) => !file.endsWith(".test.ts") && !tables.some((table) => file.startsWith(table)));

test.each([
  {
    kind: "HorizontalPodAutoscaler, with two versions",
    names: /horizontal-?pod-?autoscaler/iu,
    folder: "src/cluster/kinds/autoscaling/",
  },
  {
    kind: "CronJob, with a controller",
    names: /cron-?job/iu,
    folder: "src/cluster/kinds/batch/cron-job/",
  },
])("to add a kind is to add its files in one folder, and a line: $kind", ({ names, folder }) => {
  const mentions = sources.filter((file) =>
    names.test(`${file}\n${readFileSync(join(repository, file), "utf8")}`),
  );
  expect(mentions.filter((file) => file.startsWith(folder)).length).toBeGreaterThan(1);
  expect(mentions.filter((file) => !file.startsWith(folder))).toEqual([index]);
});
