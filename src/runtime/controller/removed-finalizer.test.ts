import { expect, test } from "vitest";
import { examineScenario, type Scenario } from "@tsbuilder/simulation";
import { applyShop, Shop, shopCRD } from "../../../e2e/support/simulation/simulated-shop.ts";
import { ConfigMap } from "../k8s/core/v1.ts";

/** Names an object that no owner reference reaches. */
const away = (name: string) => ({ namespace: "elsewhere", name });

/** An operator with children in another namespace: its finalizer deletes them. */
const scenario: Scenario = {
  crds: [shopCRD],
  objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } }],
  operators: [
    {
      name: "shop",
      setup: (manager) =>
        void manager
          .controllerFor(Shop)
          .finalizer("sim.dev/away", async ({ metadata }) => {
            await manager.client.delete(ConfigMap, away(metadata.name));
          })
          .complete({
            async reconcile({ namespace, name }) {
              if (await manager.client.find(Shop, { namespace, name }))
                await manager.client.apply(ConfigMap, { metadata: away(name) });
            },
          }),
    },
  ],
};

// Found by exploring e2e/lab/gallery/child-elsewhere, at seed 15.
test("nothing is made for an object whose finalizer an earlier process removed, though the view still has it", async () => {
  const failure = await examineScenario({
    ...scenario,
    steps: [applyShop("a", { size: 1 })],
    // Its writes: the finalizer, the child twice, the deletion of the child, the removal of the finalizer.
    faults: [{ fault: "crash", process: "shop-0", write: 5, when: "at", down: 10, lag: 20_000 }],
  });
  expect(failure?.story).toBeUndefined();
});
