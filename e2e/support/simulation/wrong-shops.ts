import type { Manager, NamespacedName, Stored } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import type { MistakeClass } from "@tsbuilder/simulation";
import { Shop, ShopReconciler } from "./simulated-shop.ts";

/** Operators of shops that make one mistake each, by the class of the mistake. */
export const wrongShops: { readonly [name in MistakeClass]?: (manager: Manager) => void } = {
  /** The status says that the ConfigMap was made before it is. */
  interrupted: reconcileBy(async ({ client }, shop) => {
    const { namespace, name } = shop.metadata;
    if (shop.status?.size !== shop.spec.size) {
      await client.patchStatus(Shop, shop, { size: shop.spec.size });
      const data = { size: String(shop.spec.size) };
      await client.apply(ConfigMap, { metadata: { namespace, name }, data }, { owner: shop, force: true });
    }
  }),
  /** A field that is gone from the spec stays in the child. */
  history: reconcileBy(async ({ client }, shop) => {
    const { namespace, name } = shop.metadata;
    const { size, colour } = shop.spec;
    const data = { size: String(size), ...(colour !== undefined && { colour }) };
    const map = await client.find(ConfigMap, { namespace, name });
    if (!map) await client.create(ConfigMap, { metadata: { namespace, name }, data }, { owner: shop });
    else await client.patch(ConfigMap, { namespace, name }, { merge: { data } });
  }),
  /** The child has no owner. */
  leftover: reconcileBy(async ({ client }, shop) => {
    const { namespace, name } = shop.metadata;
    const data = { size: String(shop.spec.size) };
    await client.apply(ConfigMap, { metadata: { namespace, name }, data }, { force: true });
  }),
  /** The status wakes the next reconcile. */
  "hot-loop": reconcileBy(async ({ client }, shop) => {
    await client.patchStatus(Shop, shop, { size: Date.now() });
  }),
  /** Changes of the child wake nobody. */
  drift: (manager) => void manager.controllerFor(Shop).complete(new ShopReconciler(manager)),
  /** An object of somebody else has the child's name. */
  "foreign-object": reconcileBy(async ({ client }, shop) => {
    await client.delete(ConfigMap, { namespace: shop.metadata.namespace, name: "somebodys" }).catch(() => {});
  }),
};

function reconcileBy(
  work: (manager: Manager, shop: Stored<Shop>) => Promise<void>,
): (manager: Manager) => void {
  return (manager) =>
    void manager
      .controllerFor(Shop)
      .owns(ConfigMap)
      .complete({
        async reconcile({ namespace, name }: NamespacedName) {
          const shop = await manager.client.find(Shop, { namespace, name });
          if (shop && !shop.metadata.deletionTimestamp) await work(manager, shop);
        },
      });
}
