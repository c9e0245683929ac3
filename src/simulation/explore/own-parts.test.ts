import { expect, test } from "vitest";
import { sharedApplies } from "../../../e2e/support/own-parts/apply-memory.ts";
import { severalClusters } from "../../../e2e/support/own-parts/clusters.ts";
import { deployments } from "../../../e2e/support/own-parts/deployments.ts";
import { explored } from "../../../e2e/support/own-parts/explored.ts";
import { withFinalizers } from "../../../e2e/support/own-parts/finalizers.ts";
import { queuedSteps } from "../../../e2e/support/own-parts/queue.ts";
import { setupShops, shopScenario } from "../../../e2e/support/simulated-shop.ts";
import type { Scenario } from "../contract/index.ts";

// Operators that are right, each of which stands on a part of the runtime, or of the cluster: what is found is a mistake
// of ours. `npm run explore` looks for longer.

const elected = { name: "shop", setup: setupShops, replicas: 3 };

// Renewals of Leases make runs of shards long.
test.each<readonly [string, number, Scenario]>([
  ["leader election", 8, { ...shopScenario(), operators: [elected] }],
  ["shards", 3, { ...shopScenario(), operators: [{ ...elected, sharding: "uid" }] }],
  ["finalizers", 8, withFinalizers],
  ["the work queue", 8, queuedSteps],
  ["the memory of applies", 8, sharedApplies],
  ["several clusters", 5, severalClusters],
  ["the controllers of a cluster", 8, deployments],
])("a right operator passes by %s", async (_, seeds, scenario) => {
  const { failure, runs } = await explored(scenario, seeds);
  expect(failure?.story).toBeUndefined();
  expect(runs).toBeGreaterThanOrEqual(seeds);
});
