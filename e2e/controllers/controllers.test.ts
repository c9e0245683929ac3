import { readFileSync } from "node:fs";
import { controllerNames, startCluster, type Cluster } from "@tsbuilder/cluster";
import { afterAll, beforeAll, describe, test } from "vitest";
import { send } from "../../src/cluster/testing/send.ts";
import { chapters } from "./chapters.ts";
import { readState, runStep } from "./run-step.ts";
import type { Outcome } from "./story.ts";

/** What stands in for nodes has no part in these stories: they report of the pods themselves. */
const nodes = new Set(["scheduler", "node", "kubelet", "stage"]);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ controllers: controllerNames.filter((name) => !nodes.has(name)) });
});
afterAll(() => cluster.stop());

describe.each(Object.entries(chapters))("controllers do as the real ones did: %s", (chapter, stories) => {
  const text = readFileSync(new URL(`recorded/${chapter}.json`, import.meta.url), "utf8");
  const recorded = JSON.parse(text) as Readonly<Record<string, readonly Outcome[]>>;

  test.concurrent.for(stories.map((story, index) => [story.name, story, index] as const))(
    "%s",
    { timeout: 120_000 },
    async ([name, story, index], { expect }) => {
      const { kubeconfig } = cluster;
      const target = { kubeconfig, namespace: `${chapter}-${index}-x${Date.now().toString(36)}` };
      const body = { metadata: { name: target.namespace } };
      await send(kubeconfig, { method: "POST", path: "/api/v1/namespaces", body });
      for (const [at, step] of story.steps.entries()) {
        await runStep(target, step);
        const expected = recorded[name]![at]!;
        const timeout = (step.rest ?? 3) * 1000 + 10_000;
        await expect
          .poll(async () => ({ step: step.name, state: await readState(target) }), { timeout })
          .toEqual(expected);
      }
    },
  );
});
