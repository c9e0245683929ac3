import type { Manager, NamespacedName } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import type { Scenario } from "@tsbuilder/simulation";
import { Shop, shopScenario } from "../simulated-shop.ts";

/** A finalizer deletes what no owner reference reaches, since it is in another namespace. */
function setup(manager: Manager): void {
  const { client } = manager;
  const keyOf = ({ namespace = "", name = "" }: Partial<NamespacedName>) => ({
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

export const withFinalizers: Scenario = {
  ...shopScenario(setup),
  objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "store" } }],
};
