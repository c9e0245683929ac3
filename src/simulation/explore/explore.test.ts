import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import {
  applyShop,
  shopCRD,
  shopScenario,
  shopsThat,
} from "../../../e2e/support/simulation/simulated-shop.ts";
import { wrongShops } from "../../../e2e/support/simulation/wrong-shops.ts";
import type { Step } from "../contract/index.ts";
import { examineScenario, explore } from "./explore.ts";

const somebodys = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name: "somebodys" },
};

test("a right operator passes", async () => {
  const { runs, failure } = await explore(shopScenario(), { seeds: 20 });
  expect(failure?.story).toBeUndefined();
  expect(runs).toBe(20);
});

/** Who makes a child only once doesn't notice either that this failed, or that somebody deleted it: the seeds decide what is found. */
const alike: Readonly<Record<string, readonly string[]>> = { interrupted: ["drift", "unretried"] };

test.each(Object.entries(wrongShops))("an operator that is wrong is found: %s", async (name, setup) => {
  const scenario = { ...shopScenario(setup), objects: [somebodys] };
  const { failure } = await explore(scenario, { seeds: 60 });
  expect([name, ...(alike[name] ?? [])]).toContain(failure?.verdict.class);
  expect(failure?.story).toContain(`${failure?.verdict.class}: `);
  expect(failure?.test).toContain(`seed: ${failure?.scenario.seed}`);
  // The shrunk scenario fails by itself, in the same way.
  const again = await examineScenario(failure!.scenario);
  expect(again?.verdict).toEqual(failure?.verdict);
});

test("a wrong value that nobody is allowed to correct isn't asked for", async () => {
  const crd = structuredClone(shopCRD);
  const { spec } = crd.spec.versions[0]!.schema.openAPIV3Schema.properties;
  Object.assign(spec.properties.size, { "x-kubernetes-validations": [{ rule: "self >= oldSelf" }] });
  const setup = shopsThat(async ({ client }, shop) => {
    const { namespace, name } = shop.metadata;
    const data = { size: String(shop.spec.size) };
    if (shop.spec.size !== 999)
      await client.apply(ConfigMap, { metadata: { namespace, name }, data }, { owner: shop });
  });
  const strange = { ...applyShop("a", { size: 999 }), strange: true, after: 10_000 } as Step;
  const steps = [applyShop("a", { size: 1 }), strange, applyShop("a", { size: 2 })];
  const { failure } = await explore({ ...shopScenario(setup), crds: [crd], steps }, { seeds: 4 });
  expect(failure?.story).toBeUndefined();
});

test("the smallest scenario doesn't end with what no operator can carry out", async () => {
  const strange = { ...applyShop("a", { size: 2 }), strange: true } as Step;
  const steps = [applyShop("a", { size: 1, colour: "red" }), strange, applyShop("a", { size: 3 })];
  const { failure } = await explore({ ...shopScenario(wrongShops.history), steps }, { seeds: 4 });
  expect(failure?.scenario.steps).toMatchObject([
    { object: { spec: { size: 1 } } },
    { object: { spec: { size: 3 } } },
  ]);
});
