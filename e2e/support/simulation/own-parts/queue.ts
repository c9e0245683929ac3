import type { Manager, NamespacedName } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import type { Scenario, State } from "@tsbuilder/simulation";
import { applyShop, Shop, shopScenario } from "../simulated-shop.ts";

let hasClashed = false;

/**
 * Nothing but `requeueAfter` brings it from one step to the next, and back to what somebody changed: no event of the
 * ConfigMap reaches it. A request that is lost leaves it where it is.
 */
function setup(manager: Manager): void {
  const { client } = manager;
  hasClashed = false;
  const step = async (request: NamespacedName) => {
    const shop = await client.find(Shop, request);
    if (!shop || shop.metadata.deletionTimestamp) return;
    const map = await client.find(ConfigMap, request, { live: true });
    const step = { "1": 2, "2": 3, "3": 3 }[map?.data?.["step"] ?? ""] ?? 1;
    const data = { step: String(step), size: String(shop.spec.size) };
    await client.apply(ConfigMap, { metadata: request, data }, { owner: shop });
    await client.patchStatus(Shop, shop, { observedGeneration: shop.metadata.generation! });
    return { requeueAfter: step < 3 ? "500ms" : "20s" } as const;
  };
  const running = new Set<string>();
  const reconcile: typeof step = async (request) => {
    const key = `${request.namespace}/${request.name}`;
    hasClashed ||= running.has(key);
    running.add(key);
    try {
      return await step(request);
    } finally {
      running.delete(key);
    }
  };
  manager.controllerFor(Shop).withOptions({ maxConcurrentReconciles: 3 }).complete({ reconcile });
}

function areDone(state: State): boolean {
  const maps = state.list("ConfigMap") as readonly ConfigMap[];
  return (state.list("Shop") as readonly Shop[]).every(({ metadata, spec }) =>
    maps.some(
      ({ metadata: { name }, data }) =>
        name === metadata.name && data?.["step"] === "3" && data["size"] === String(spec.size),
    ),
  );
}

/** Requests come while others are processed, fail, and ask to be made again. */
export const queuedSteps: Scenario = {
  ...shopScenario(setup),
  steps: [1, 2, 3].flatMap((size) => ["a", "b", "c"].map((name) => applyShop(name, { size }))),
  never: { "two reconciles of one shop at once": () => hasClashed },
  eventually: { "every shop is at its last step": areDone },
};
