import type { Manager } from "@tsbuilder/runtime";
import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Scenario, Step } from "../contract/index.ts";
import { simulate } from "../world/simulate.ts";
import { examineScenario } from "./explore.ts";

const hour = 3_600_000;

/**
 * Runs a Job once for each shop, and says whether it succeeded. It deletes the Job of a shop of size 2 an hour after its end, that of a
 * red one at once, and never tries that of a hasty one again.
 */
function runJobs(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(Shop)
    .owns(Job)
    .complete({
      async reconcile(metadata) {
        const shop = await client.find(Shop, metadata);
        if (!shop || shop.metadata.deletionTimestamp) return undefined;
        const job = await client.find(Job, metadata);
        const isDone = shop.status?.size === 1;
        if (!job && !isDone) {
          const containers = [{ name: "job", image: "shop:1" }];
          const template = { spec: { containers, restartPolicy: "Never" as const } };
          const backoffLimit = shop.spec.colour === "hasty" ? 0 : 1;
          await client.create(Job, { metadata, spec: { backoffLimit, template } }, { owner: shop });
        }
        const { completionTime, conditions = [] } = job?.status ?? {};
        if (conditions.some(({ type }) => type === "Failed"))
          await client.patchStatus(Shop, shop, { size: -1 });
        if (!job || completionTime === undefined) return undefined;
        if (!isDone) await client.patchStatus(Shop, shop, { size: 1 });
        const left = shop.spec.size === 2 ? Date.parse(completionTime) + hour - Date.now() : Infinity;
        if (left <= 0 || shop.spec.colour === "red") await client.delete(Job, job);
        return left > 0 && left < Infinity
          ? { requeueAfter: { seconds: Math.ceil(left / 1000) } }
          : undefined;
      },
    });
}

const scenarioOf = (...steps: Step[]): Scenario => ({
  ...shopScenario(runJobs),
  controllers: ["job", "scheduler", "node", "kubelet"],
  steps,
});

const later = (after: number, spec: Parameters<typeof applyShop>[1]) =>
  ({ ...applyShop("a", spec), after }) as Step;

test("a Job whose time is over isn't missed once its owner would keep it", async () => {
  const scenario = scenarioOf(applyShop("a", { size: 2 }), later(1.1 * hour, { size: 1 }));
  expect((await examineScenario(scenario))?.story).toBeUndefined();
});

test("a Job that was deleted because of a spec is missed once the spec no longer says so", async () => {
  const blue = { size: 1, colour: "blue" };
  const scenario = scenarioOf(
    applyShop("a", blue),
    later(100_000, { size: 1, colour: "red" }),
    later(100_000, blue),
  );
  const failure = await examineScenario(scenario);
  expect(failure?.verdict).toMatchObject({
    class: "history",
    message: "Job.batch/v1 default/a is missing",
  });
});

test.each([
  ["hasty", 0],
  ["calm", 1],
])("a %s Job's pod is struck %i times: its last try is left alone", async (colour, times) => {
  const faults = [{ fault: "pod", pod: 0, how: "oom", at: 5000, for: 1000 }] as const;
  const scenario = { ...scenarioOf(applyShop("a", { size: 1, colour })), faults };
  const { trace, state } = await simulate(scenario);
  expect(trace.filter(({ type }) => type === "fault")).toHaveLength(times);
  expect(state.list("Shop")).toMatchObject([{ status: { size: 1 } }]);
  expect((await examineScenario(scenario))?.story).toBeUndefined();
});
