import type { Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopCRD, setupShops } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Scenario, Step } from "../contract/index.ts";
import { examineScenario } from "./explore.ts";

const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } };
const remove: Step = { do: "delete", target: { apiVersion: "v1", kind: "Namespace", name: "other" } };
const { object: shop } = applyShop("a", { size: 1 }) as Step & { readonly do: "apply" };
const apply: Step = { do: "apply", object: { ...shop, metadata: { name: "a", namespace: "other" } } };

const scenarioOf = (setup: (manager: Manager) => void, steps: readonly Step[]): Scenario => ({
  operators: [{ name: "shop", setup }],
  crds: [shopCRD],
  objects: [namespace],
  steps,
});

test.each<readonly [string, readonly Step[]]>([
  ["goes away", [apply, { do: "settle" }, remove]],
  ["goes away while the operator works in it", [apply, { ...remove, after: 20 }]],
  ["is created again", [apply, { do: "settle" }, remove, { do: "apply", object: namespace }, apply]],
])("a right operator is right when a namespace %s", async (_, steps) => {
  const failure = await examineScenario(scenarioOf(setupShops, steps));
  expect(failure?.story).toBeUndefined();
});

test("a cleanup that creates something can't end in a namespace that goes away", async () => {
  const setup = (manager: Manager): void => {
    const { client } = manager;
    const lock = { namespace: "other", name: "lock" };
    manager
      .controllerFor(Shop)
      .finalizer("sim.dev/lock", async () => {
        await client.apply(ConfigMap, { metadata: lock });
        await client.delete(ConfigMap, lock);
      })
      .complete({ reconcile: () => Promise.resolve() });
  };
  const failure = await examineScenario(scenarioOf(setup, [apply, { do: "settle" }, remove]));
  expect(failure?.verdict).toMatchObject({ class: "error" });
});
