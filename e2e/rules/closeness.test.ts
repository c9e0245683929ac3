import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSources, repository } from "../support/source-imports.ts";

const index = "src/cluster/kinds/index.ts";

/** Code that handles all kinds by tables: discovery, columns, field numbers, generated types, bootstrap roles. */
const tables = ["src/apimachinery/kinds/build/facts/", "src/apimachinery/k8s/", "src/cluster/bootstrap/"];

const sources = ["src/apimachinery", "src/cluster"]
  .flatMap(listSources)
  .filter((file) => !file.endsWith(".test.ts") && !tables.some((table) => file.startsWith(table)));

test.each([
  {
    kind: "HorizontalPodAutoscaler, with two versions",
    names: /horizontal-?pod-?autoscaler/iu,
    own: /^src\/cluster\/kinds\/autoscaling\//u,
  },
  {
    kind: "CronJob, with a controller",
    names: /cron-?job/iu,
    own: /^src\/cluster\/kinds\/batch\/cron-job/u,
  },
])("to add a kind is to add its files and a line: $kind", ({ names, own }) => {
  const mentions = sources.filter((file) =>
    names.test(`${file}\n${readFileSync(join(repository, file), "utf8")}`),
  );
  expect(mentions.some((file) => own.test(file))).toBe(true);
  expect(mentions.filter((file) => !own.test(file))).toEqual([index]);
});
