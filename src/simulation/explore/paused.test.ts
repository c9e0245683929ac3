import { fileURLToPath } from "node:url";
import { loadObjects } from "@tsbuilder/cluster/testing";
import { expect, test } from "vitest";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import {
  applyShop,
  Shop,
  ShopReconciler,
  shopScenario,
} from "../../../e2e/support/simulation/simulated-shop.ts";
import { setupAppServiceController } from "../../../e2e/golden/app-operator/src/controller/appservice_controller.ts";
import { external, type Scenario } from "../contract/index.ts";
import { operationsFor } from "../operations/operations-for.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { examineScenario, explore } from "./explore.ts";

test("what is paused stays as it is, whatever was asked for before", async () => {
  const folder = new URL("../../../e2e/golden/app-operator/config/crd/bases", import.meta.url);
  const crds = await loadObjects([fileURLToPath(folder)]);
  const crd = crds.find(({ metadata }) => metadata.name?.startsWith("appservices."));
  const draw = operationsFor(crd as unknown as Parameters<typeof operationsFor>[0]);
  const plans = Array.from({ length: 100 }, (_, seed) => draw(new Random(seed)));
  const pausing = plans.filter((steps) => JSON.stringify(steps).includes('"paused":true'));
  expect(pausing.length).toBeGreaterThan(10);
  for (const steps of pausing.slice(0, 2)) {
    const scenario: Scenario = {
      crds,
      operators: [{ name: "appservice", setup: setupAppServiceController }],
      objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } }],
      steps,
    };
    const { failure } = await explore(scenario, { seeds: 2, shrinks: 0 });
    expect(failure?.story).toBeUndefined();
  }
});

test("what is paused by its annotation goes on before it is deleted", async () => {
  const scenario = shopScenario((manager) => {
    manager
      .controllerFor(Shop)
      .owns(ConfigMap)
      .finalizer("example.com/account", async () => {})
      .pausable()
      .complete(new ShopReconciler(manager));
  });
  const merge = { metadata: { annotations: { "sim.dev/paused": "true" } } };
  const target = { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "a" };
  const steps = [applyShop("a", { size: 1 }), { do: "settle" }, { do: "patch", target, merge }] as const;
  const again = [...steps, { do: "delete", target }, applyShop("a", { size: 2 })] as const;
  for (const tried of [steps, again]) {
    const failure = await examineScenario({ ...scenario, steps: tried });
    expect(failure?.story).toBeUndefined();
  }
});

test("what an operator has done outside for an object that is paused since is no mistake", async () => {
  const accounts = external({
    url: "https://accounts.example.com/",
    state: () => new Set<string>(),
    handle({ url, method }, held) {
      if (method === "DELETE") held.delete(url);
      else held.add(url);
      return new Response("{}");
    },
  });
  const urlOf = ({ metadata: { uid } }: Shop): string => `https://accounts.example.com/${uid}`;
  const scenario = shopScenario((manager) => {
    manager
      .controllerFor(Shop)
      .pausable()
      .finalizer("example.com/account", async (shop) => void (await fetch(urlOf(shop), { method: "DELETE" })))
      .complete({
        async reconcile(request) {
          const shop = await manager.client.find(Shop, request);
          if (shop) await fetch(urlOf(shop), { method: "PUT" });
        },
      });
  });
  const merge = { metadata: { annotations: { "sim.dev/paused": "true" } } };
  const target = { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "a" };
  const steps = [applyShop("a", { size: 1 }), { do: "settle" }, { do: "patch", target, merge }] as const;
  const failure = await examineScenario({ ...scenario, external: { accounts }, steps });
  expect(failure?.story).toBeUndefined();
});
