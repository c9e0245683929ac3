import type { Manager, Request } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, setupShops, Shop, shopScenario } from "../../../e2e/support/simulated-shop.ts";
import type { Scenario, State } from "../contract/index.ts";
import { explore } from "./explore.ts";

// Operators that are right, each of which stands on a part of the runtime, or of the cluster: what is found is a mistake
// of ours.

/** What no owner reference reaches, since it is in another namespace, a finalizer deletes. */
function withFinalizer(manager: Manager): void {
  const { client } = manager;
  const keyOf = ({ namespace = "", name = "" }: Partial<Request>) => ({
    namespace: "store",
    name: `${namespace}-${name}`,
  });
  manager
    .controllerFor(Shop)
    .watches(ConfigMap, ({ metadata: { annotations = {} } }) => {
      const [namespace, name] = annotations["sim.dev/shop"]?.split("/") ?? [];
      return namespace === undefined || name === undefined ? [] : [{ namespace, name }];
    })
    .finalizer("sim.dev/store", async ({ metadata }) => {
      await client.delete(ConfigMap, keyOf(metadata));
    })
    .complete({
      async reconcile(request) {
        const shop = await client.find(Shop, request);
        if (!shop) return;
        const annotations = { "sim.dev/shop": `${request.namespace}/${request.name}` };
        const data = { size: String(shop.spec.size) };
        await client.apply(ConfigMap, { metadata: { ...keyOf(request), annotations }, data });
      },
    });
}

/** The cluster's own controllers make ReplicaSets, and delete what a Deployment owned. */
function withDeployments(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(Shop)
    .owns(Deployment)
    .complete({
      async reconcile(request) {
        const shop = await client.find(Shop, request);
        if (!shop || shop.metadata.deletionTimestamp) return;
        const labels = { shop: request.name };
        await client.apply(
          Deployment,
          {
            metadata: request,
            spec: {
              replicas: shop.spec.size,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers: [{ name: "shop", image: "shop:1" }] } },
            },
          },
          { owner: shop },
        );
      },
    });
}

/** What controllers of the cluster make isn't compared. */
function hasPods(state: State): boolean {
  const counts = (state.list("Deployment") as readonly Deployment[]).map(({ metadata, spec }) => {
    const pods = state.list("Pod").filter((pod) => pod.metadata.labels?.["shop"] === metadata.name);
    return [pods.length, spec?.replicas];
  });
  return counts.length > 0 && counts.every(([pods, wanted]) => pods === wanted);
}

const store = { apiVersion: "v1", kind: "Namespace", metadata: { name: "store" } };

// Renewals of Leases make runs of shards long.
test.each<readonly [string, number, Scenario]>([
  [
    "leader election",
    10,
    { ...shopScenario(), operators: [{ name: "shop", setup: setupShops, replicas: 3 }] },
  ],
  [
    "shards",
    4,
    { ...shopScenario(), operators: [{ name: "shop", setup: setupShops, replicas: 3, sharding: "uid" }] },
  ],
  ["finalizers", 10, { ...shopScenario(withFinalizer), objects: [store] }],
  [
    "the controllers of a cluster",
    10,
    {
      ...shopScenario(withDeployments),
      steps: [applyShop("a", { size: 1 }), applyShop("a", { size: 2 }), applyShop("b", { size: 0 })],
      controllers: ["deployment", "replicaset"],
      eventually: { "every Deployment has its pods": hasPods },
    },
  ],
])("a right operator passes by %s", async (_, seeds, scenario) => {
  const { failure, runs } = await explore(scenario, { seeds });
  expect(failure?.story).toBeUndefined();
  expect(runs).toBe(seeds);
});
