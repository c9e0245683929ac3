import { expect, test } from "vitest";
import { sharedApplies } from "../../../e2e/support/simulation/own-parts/apply-memory.ts";
import { servedCertificates } from "../../../e2e/support/simulation/own-parts/certificates.ts";
import { severalClusters } from "../../../e2e/support/simulation/own-parts/clusters.ts";
import { deployments } from "../../../e2e/support/simulation/own-parts/deployments.ts";
import { explored } from "../../../e2e/support/simulation/own-parts/explored.ts";
import { withFinalizers } from "../../../e2e/support/simulation/own-parts/finalizers.ts";
import { queuedSteps } from "../../../e2e/support/simulation/own-parts/queue.ts";
import { workloads } from "../../../e2e/support/simulation/own-parts/workloads.ts";
import { setupShops, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Run, Scenario } from "../contract/index.ts";
import { simulate } from "../world/simulate.ts";

// Operators that are right, each of which stands on a part of the runtime, or of the cluster: what is found is a mistake
// of ours. `npm run lab -- explore` looks for longer.

const elected = { name: "shop", setup: setupShops, replicas: 3 };

// Renewals of Leases make runs of shards long.
test.each<readonly [string, number, Scenario]>([
  ["leader election", 5, { ...shopScenario(), operators: [elected] }],
  ["shards", 2, { ...shopScenario(), operators: [{ ...elected, sharding: "uid" }] }],
  ["finalizers", 6, withFinalizers],
  ["the work queue", 8, queuedSteps],
  ["the memory of applies", 8, sharedApplies],
  ["several clusters", 4, severalClusters],
  ["certificates of webhooks", 2, servedCertificates],
  ["the controllers of a cluster", 5, deployments],
  ["what these do by themselves", 5, workloads],
])("a right operator passes by %s", async (_, seeds, scenario) => {
  const { failure, runs } = await explored(scenario, seeds);
  expect(failure?.story).toBeUndefined();
  expect(runs).toBeGreaterThanOrEqual(seeds);
});

/** Returns the changes by the cluster itself in the half minute before everything rested. The runs of a CronJob go on. */
function lateChanges({ trace }: Run) {
  const end = trace.find(({ type }) => type === "phase")!.at;
  return trace.filter(
    (event) =>
      event.type === "change" &&
      event.by === "cluster" &&
      !event.key.includes("cron") &&
      event.at > end - 30_000 &&
      event.at < end,
  );
}

test("the controllers of a cluster come to rest, whatever write of theirs failed", async () => {
  const { controllerWrites } = await simulate(workloads);
  expect(controllerWrites).toBeGreaterThan(30);
  for (const request of [2, 12, 22]) {
    const fault = { fault: "refuse", process: "controllers", request, with: "error", done: true } as const;
    const run = await simulate({ ...workloads, faults: [fault] });
    expect(run.trace.filter(({ type }) => type === "fault")).toHaveLength(1);
    expect(run.trace.filter(({ type }) => type === "promise")).toEqual([]);
    expect(lateChanges(run)).toEqual([]);
  }
});
