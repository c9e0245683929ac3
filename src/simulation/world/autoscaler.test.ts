import type { Manager } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Scenario } from "../contract/index.ts";
import { explore } from "../explore/explore.ts";
import { simulate } from "./simulate.ts";

/** A Deployment for each shop, with as many replicas as it says; one with a colour has an autoscaler. */
function scaleShops(manager: Manager, { leavesReplicas = false, watches = true }): void {
  const { client } = manager;
  const controller = manager.controllerFor(Shop).owns(HorizontalPodAutoscaler);
  (watches ? controller.owns(Deployment) : controller).complete({
    async reconcile(metadata) {
      const shop = await client.find(Shop, metadata);
      if (!shop || shop.metadata.deletionTimestamp) return;
      const { name } = metadata;
      const { size, colour } = shop.spec;
      const replicas = colour !== undefined && leavesReplicas ? {} : { replicas: size };
      const labels = { shop: name };
      const template = { metadata: { labels }, spec: { containers: [{ name: "shop", image: "shop:1" }] } };
      const spec = { ...replicas, selector: { matchLabels: labels }, template };
      await client.apply(Deployment, { metadata, spec }, { owner: shop, force: true });
      if (colour === undefined) return;
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
      const autoscaler = { minReplicas: 3, maxReplicas: 9, scaleTargetRef };
      await client.apply(HorizontalPodAutoscaler, { metadata, spec: autoscaler }, { owner: shop });
    },
  });
}

const scaledShops = (options: Parameters<typeof scaleShops>[1]): Scenario => ({
  ...shopScenario((manager) => scaleShops(manager, options)),
  steps: [applyShop("a", { size: 5 }), applyShop("a", { size: 5, colour: "red" })],
});

test("an autoscaler scales its target down to the fewest replicas, whatever it had before", async () => {
  const { state, trace } = await simulate(scaledShops({ leavesReplicas: true }));
  expect(state.list("Deployment")).toMatchObject([{ spec: { replicas: 3 } }]);
  expect(trace).toContainEqual(expect.objectContaining({ by: "autoscaler", fields: ["spec.replicas"] }));
  const { failure } = await explore(scaledShops({ leavesReplicas: true }), { seeds: 10 });
  expect(failure?.story).toBeUndefined();
});

test("an autoscaler leaves a target alone that has no replicas", async () => {
  const steps = [applyShop("a", { size: 0, colour: "red" })];
  const { state } = await simulate({ ...scaledShops({}), steps });
  expect(state.list("Deployment")).toMatchObject([{ spec: { replicas: 0 } }]);
});

test.each([
  ["at once", true],
  ["after a restart", false],
])("an operator that sets the replicas of an autoscaler's target fights with it %s", async (_, watches) => {
  const { failure } = await explore(scaledShops({ watches }), { seeds: 1, shrinks: 0 });
  expect(failure?.verdict.class).toBe("fight");
  expect(failure?.verdict.message).toMatch(/autoscaler.* spec\.replicas of deployments\.apps default\/a/);
});
