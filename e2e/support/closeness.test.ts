import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSources, repository } from "./source-imports.ts";

/** What every kind needs besides its folder: the line in the index, and tables that are data. */
const ofEveryKind = [
  "src/apimachinery/kinds/build/overlay/columns.ts",
  "src/apimachinery/kinds/build/overlay/discovery.ts",
  "src/apimachinery/kinds/build/overlay/registry.ts",
  "src/cluster/bootstrap/bootstrap-roles.ts",
  "src/cluster/bootstrap/control-plane-roles.ts",
  "src/cluster/kinds/index.ts",
];

/** Types that `npm run tables` generates. */
const generated = "src/apimachinery/k8s/";

const sources = ["src/apimachinery", "src/cluster"]
  .flatMap(listSources)
  .filter((file) => !file.endsWith(".test.ts") && !file.startsWith(generated));

test.each([
  {
    kind: "HorizontalPodAutoscaler, with two versions",
    names: /horizontal-?pod-?autoscaler/iu,
    folder: "src/cluster/kinds/autoscaling/horizontal-pod-autoscaler/",
    // How lists of its status merge is data, too.
    besides: ["src/apimachinery/kinds/build/overlay/fields.ts"],
  },
  {
    kind: "CronJob, with a controller",
    names: /cron-?job/iu,
    folder: "src/cluster/kinds/batch/cron-job/",
    // Only there do pod templates stand below a template of another kind.
    besides: ["src/cluster/admission/pod-security/pod-security.ts"],
  },
])("to add a kind is to add a folder and a line: $kind", ({ names, folder, besides }) => {
  const mentions = sources.filter((file) =>
    names.test(`${file}\n${readFileSync(join(repository, file), "utf8")}`),
  );
  expect(mentions.filter((file) => file.startsWith(folder)).length).toBeGreaterThan(3);
  expect(mentions.filter((file) => !file.startsWith(folder))).toEqual(
    [...ofEveryKind, ...besides].toSorted(),
  );
});
