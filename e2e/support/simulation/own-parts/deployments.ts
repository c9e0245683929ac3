import type { Manager } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Scenario, State } from "@tsbuilder/simulation";
import { applyShop, Shop, shopScenario } from "../simulated-shop.ts";

/** The cluster's own controllers make ReplicaSets, and delete what a Deployment owned. */
function setup(manager: Manager): void {
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

/** True if each Deployment has its pods, which the cluster's controllers create and nothing else compares. */
function haveTheirPods(state: State): boolean {
  const counts = (state.list("Deployment") as readonly Deployment[]).map(({ metadata, spec }) => {
    const pods = state.list("Pod").filter((pod) => pod.metadata.labels?.["shop"] === metadata.name);
    return [pods.length, spec?.replicas];
  });
  return counts.length > 0 && counts.every(([pods, wanted]) => pods === wanted);
}

export const deployments: Scenario = {
  ...shopScenario(setup),
  steps: [applyShop("a", { size: 1 }), applyShop("a", { size: 2 }), applyShop("b", { size: 0 })],
  controllers: ["deployment", "replicaset"],
  eventually: { "every Deployment has its pods": haveTheirPods },
};
