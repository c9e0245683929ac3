import { isEqual } from "@tsbuilder/apimachinery/json";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import type { Scenario, State } from "@tsbuilder/simulation";
import { applyShop, Shop, shopScenario, shopsThat } from "../simulated-shop.ts";

type Annotations = { [name: string]: string };

// Annotations are dropped: nobody else changes them, which would take them from their applier.
const named = ({ colour }: Shop["spec"]): Annotations => (colour === undefined ? {} : { [colour]: "yes" });
const valued = ({ colour }: Shop["spec"]): Annotations => (colour === undefined ? {} : { colour });

/** Two operators that apply no annotations at all would take these from one another. */
function annotated(annotations: Annotations): { readonly annotations?: Annotations } {
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

const first = shopsThat(async ({ client }, shop) => {
  const { namespace, name } = shop.metadata;
  const metadata = { namespace, name, ...annotated(named(shop.spec)) };
  await client.apply(ConfigMap, { metadata, data: { size: String(shop.spec.size) } }, { owner: shop });
  await client.patchStatus(Shop, shop, { observedGeneration: shop.metadata.generation! });
});

/** Applies nothing to an object that is gone: with its uid, it doesn't create another one. */
const second = shopsThat(async ({ client }, { metadata: { namespace, name }, spec }) => {
  const map = await client.find(ConfigMap, { namespace, name });
  if (!map) return;
  const { uid } = map.metadata;
  await client.apply(ConfigMap, { metadata: { namespace, name, uid, ...annotated(valued(spec)) } });
});

function areExact(state: State): boolean {
  const maps = state.list("ConfigMap") as readonly ConfigMap[];
  return (state.list("Shop") as readonly Shop[]).every(({ metadata: { name }, spec }) => {
    const map = maps.find(({ metadata }) => metadata.name === name);
    return (
      map?.data?.["size"] === String(spec.size) &&
      isEqual(map.metadata.annotations ?? {}, { ...named(spec), ...valued(spec) })
    );
  });
}

/** Two operators apply parts of the same ConfigMaps, and drop fields from what they apply. */
export const sharedApplies: Scenario = {
  ...shopScenario(),
  operators: [
    { name: "first", setup: first },
    { name: "second", setup: second },
  ],
  steps: [
    applyShop("a", { size: 1, colour: "red" }),
    applyShop("b", { size: 1, colour: "red" }),
    applyShop("a", { size: 1 }),
    applyShop("a", { size: 1, colour: "blue" }),
    { do: "delete", target: { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "a" } },
    applyShop("a", { size: 2, colour: "red" }),
    applyShop("b", { size: 1, colour: "blue" }),
    applyShop("b", { size: 1 }),
  ],
  eventually: { "every ConfigMap has what is applied, and nothing else": areExact },
};
