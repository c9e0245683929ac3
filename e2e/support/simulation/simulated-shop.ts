import {
  type Cluster,
  type CustomResource,
  defineKind,
  type Manager,
  type NamespacedName,
  type Reconciler,
  type Stored,
} from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import type { Scenario, Step } from "@tsbuilder/simulation";

export interface Shop extends CustomResource<
  { size: number; colour?: string },
  { size?: number; observedGeneration?: number }
> {}

export const Shop = defineKind<Shop>({ group: "sim.dev", version: "v1" }, { kind: "Shop", plural: "shops" });

/** The CRD of shops. */
export const shopCRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.sim.dev" },
  spec: {
    group: "sim.dev",
    scope: "Namespaced",
    names: { kind: "Shop", plural: "shops", singular: "shop", listKind: "ShopList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { size: { type: "integer", minimum: 0 }, colour: { type: "string" } },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

/** A right operator: a ConfigMap for each shop, and a status. */
export class ShopReconciler implements Reconciler {
  readonly #cluster: Pick<Cluster, "client">;

  constructor(cluster: Pick<Cluster, "client">) {
    this.#cluster = cluster;
  }

  async reconcile({ namespace, name }: NamespacedName): Promise<void> {
    const { client } = this.#cluster;
    const shop = await client.find(Shop, { namespace, name });
    if (!shop || shop.metadata.deletionTimestamp) return;
    const { size, colour } = shop.spec;
    const data = { size: String(size), ...(colour !== undefined && { colour }) };
    await client.apply(ConfigMap, { metadata: { namespace, name }, data }, { owner: shop, force: true });
    await client.patchStatus(Shop, shop, { size, observedGeneration: shop.metadata.generation! });
  }
}

export function setupShops(cluster: Cluster): void {
  cluster.controllerFor(Shop).owns(ConfigMap).complete(new ShopReconciler(cluster));
}

/** An operator that does this and nothing else for each shop. */
export function shopsThat(
  work: (manager: Manager, shop: Stored<Shop>) => unknown,
): (manager: Manager) => void {
  return (manager) => {
    const reconcile = async (request: NamespacedName): Promise<void> => {
      const shop = await manager.client.find(Shop, request);
      if (shop && !shop.metadata.deletionTimestamp) await work(manager, shop);
    };
    manager.controllerFor(Shop).owns(ConfigMap).complete({ reconcile });
  };
}

export function applyShop(name: string, spec: Shop["spec"], namespace = "default"): Step {
  return {
    do: "apply",
    object: {
      apiVersion: "sim.dev/v1",
      kind: "Shop",
      metadata: { namespace, name },
      spec,
    } as Shop,
  };
}

/** A world with one operator of shops. */
export function shopScenario(setup: (manager: Manager) => void = setupShops): Scenario {
  return {
    operators: [{ name: "shop", setup }],
    crds: [shopCRD],
    steps: [
      applyShop("a", { size: 1, colour: "red" }),
      applyShop("b", { size: 2 }),
      applyShop("a", { size: 3 }),
      { do: "delete", target: { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "b" } },
    ],
  };
}

/** The same world, whose user takes all steps before the operator has started. */
export function atOnce({ steps = [], ...scenario }: Scenario): Scenario {
  return {
    ...scenario,
    steps: steps.map((step) => (step.do === "settle" ? step : { ...step, after: 10 })),
  };
}
