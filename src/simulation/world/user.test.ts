import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Step } from "../contract/index.ts";
import { simulate } from "./simulate.ts";

const key = { namespace: "default", name: "key" };
const secret: Step = { do: "apply", object: { apiVersion: "v1", kind: "Secret", metadata: key } };
const shop = { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "a" };

test("a user comes back to an object whose deletion waited for what the user put back later", async () => {
  const scenario = shopScenario((manager) => {
    const { client } = manager;
    manager
      .controllerFor(Shop)
      .watches(Secret, () => [{ namespace: "default", name: "a" }])
      .finalizer("example.com/account", async () => void (await client.get(Secret, key, { live: true })))
      .complete({ reconcile: async () => {} });
  });
  const steps: Step[] = [
    secret,
    applyShop("a", { size: 1 }),
    { do: "settle" },
    { do: "delete", target: { apiVersion: "v1", kind: "Secret", ...key } },
    { do: "delete", target: shop },
    applyShop("a", { size: 2 }),
    secret,
  ];
  const { state, rejected } = await simulate({ ...scenario, steps });
  expect(state.find(shop)).toMatchObject({ spec: { size: 2 } });
  expect(state.find(shop)?.metadata.deletionTimestamp).toBeUndefined();
  expect(rejected).toEqual([]);
});
