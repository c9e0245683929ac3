import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Scenario } from "../contract/index.ts";
import { explore } from "./explore.ts";

/** Keeps the data of a shop that is gone, and the size that it had first. */
const archive = shopsThat(async ({ client }, shop) => {
  const { namespace, name } = shop.metadata;
  const { size } = shop.spec;
  const before = await client.find(ConfigMap, { namespace, name });
  const first = before?.data?.["first"] ?? String(size);
  await client.apply(ConfigMap, { metadata: { namespace, name }, data: { first, size: String(size) } });
  await client.patchStatus(Shop, shop, { size });
});

const scenario: Scenario = {
  ...shopScenario(archive),
  steps: [applyShop("a", { size: 1 }), { do: "settle" }, applyShop("a", { size: 2 })],
};

const classOf = async (more: Partial<Scenario>): Promise<string | undefined> =>
  (await explore({ ...scenario, ...more }, { seeds: 1 })).failure?.verdict.class;

test("what an operator leaves behind, and what tells of the past, is wrong unless the scenario allows it", async () => {
  const mayStay: Scenario["mayStay"] = ({ kind }) => kind === "ConfigMap";
  const mayDiffer: Scenario["mayDiffer"] = ({ kind }, field) =>
    kind === "ConfigMap" && field === "data.first";
  expect(await classOf({})).toBe("leftover");
  expect(await classOf({ mayStay })).toBe("history");
  expect(await classOf({ mayDiffer })).toBe("leftover");
  expect(await classOf({ mayStay, mayDiffer })).toBeUndefined();
});
