import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { expect, test } from "vitest";
import { applyShop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import { isLeftBehind } from "./simulate.ts";

const volume = (name: string, more: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name, ...more },
});
const shop = (name: string, more: object = {}): KubernetesObject => ({
  apiVersion: "sim.dev/v1",
  kind: "Shop",
  metadata: { namespace: "default", name, ...more },
});
const scenario = {
  ...shopScenario(),
  steps: [applyShop("a", { size: 1 }), applyShop("a-b", { size: 1 })],
  mayStay: () => true,
};

test.each([
  ["its object is there", volume("data-a-0"), [shop("a")], false],
  ["its object is gone", volume("data-a-0"), [shop("a-b")], true],
  ["its object is being deleted", volume("data-a-0"), [shop("a", { deletionTimestamp: "now" })], true],
  ["it is that of the longer name", volume("data-a-b-0"), [shop("a")], true],
  ["it goes with its owner", volume("data-a-0", { ownerReferences: [] }), [], false],
  ["it was made for none of the objects", volume("other"), [], false],
])("whether a child is left behind: %s", (_, child, present, isLeft) => {
  expect(isLeftBehind(child, scenario, present)).toBe(isLeft);
});
