import type { Manager } from "@tsbuilder/runtime";
import type { Scenario, State } from "@tsbuilder/simulation";
import { applyShop, setupShops, type Shop, shopScenario } from "../simulated-shop.ts";
import { clusterIn } from "./cluster-in-namespace.ts";

/** The same controller, in its own cluster and in another one. */
function setup(manager: Manager): void {
  setupShops(manager);
  setupShops(manager.addCluster("east", async () => clusterIn("east", await manager.config())));
}

function areInPlace(state: State): boolean {
  const texts = (kind: string, sizeOf: (object: never) => unknown): string[] =>
    state
      .list(kind)
      .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
      .map(
        (object) => `${object.metadata.namespace}/${object.metadata.name} ${String(sizeOf(object as never))}`,
      )
      .toSorted();
  const wanted = texts("Shop", ({ spec }: Shop) => spec.size);
  return wanted.join() === texts("ConfigMap", ({ data }: { data: { size: string } }) => data.size).join();
}

/** Shops of the same names in two clusters, which want something else. */
export const severalClusters: Scenario = {
  ...shopScenario(),
  operators: [{ name: "shop", setup, replicas: 2, manager: { cache: { namespaces: ["default"] } } }],
  objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "east" } }],
  steps: [
    applyShop("a", { size: 1 }),
    applyShop("a", { size: 2, colour: "red" }, "east"),
    applyShop("b", { size: 3 }),
    applyShop("b", { size: 4 }, "east"),
    applyShop("a", { size: 5 }, "east"),
    { do: "delete", target: { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "b" } },
  ],
  eventually: { "every shop has its ConfigMap, in its own cluster": areInPlace },
};
