import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Scenario, Step } from "../contract/index.ts";
import { simulate } from "../world/simulate.ts";
import { examineScenario } from "./explore.ts";

const step = applyShop("a", { size: 1 }) as Step & { readonly do: "apply" };
const shop = step.object;
const target = { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "a" };

/** A shop that exists before the operators start. */
const given: Scenario = { ...shopScenario(), objects: [shop], steps: [] };

test.each<readonly [string, readonly Step[]]>([
  ["is left as it is", []],
  ["is patched", [{ do: "patch", target, merge: { spec: { size: 5 } } }]],
  ["is deleted", [{ do: "delete", target }]],
  ["is deleted and created again", [{ do: "delete", target }, { do: "settle" }, { ...step, after: 10 }]],
])("a right operator is right with an object that exists from the start and %s", async (_, steps) => {
  const failure = await examineScenario({ ...given, steps });
  expect(failure?.story).toBeUndefined();
});

test("what an operator forgets of a given object that is deleted is left over", async () => {
  const forgetful = shopsThat(({ client }, { metadata: { namespace, name } }) =>
    client.apply(ConfigMap, { metadata: { namespace, name } }, { force: true }),
  );
  const operators = [{ name: "shop", setup: forgetful }];
  const steps: Step[] = [{ do: "settle" }, { do: "delete", target }];
  const failure = await examineScenario({ ...given, operators, steps });
  expect(failure?.verdict).toMatchObject({ class: "leftover", objects: ["ConfigMap.v1 default/a"] });
});

test("a given object may be written as in YAML", async () => {
  const metadata = { namespace: "default", name: "settings" };
  const objects = [{ apiVersion: "v1", kind: "ConfigMap", metadata, data: { size: "1" } }];
  const { state } = await simulate({
    ...given,
    objects: [...objects, { apiVersion: "v1", kind: "Secret", metadata, stringData: { key: "a" } }],
  });
  expect(state.list("ConfigMap")).toContainEqual(expect.objectContaining({ data: { size: "1" } }));
});

test("the ids of given objects are the same for every base", async () => {
  const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "other" } };
  const uidOf = async (objects: readonly KubernetesObject[]): Promise<string | undefined> =>
    (await simulate({ ...given, objects })).state.find(target)?.metadata.uid;
  expect(await uidOf([shop, other])).toBe(await uidOf([shop]));
});

test("a step without a namespace is one in the namespace default", async () => {
  const wrong = shopsThat(({ client }, one) => client.patchStatus(Shop, one, { observedGeneration: 77 }));
  const { namespace: _, ...metadata } = shop.metadata;
  const { namespace: __, ...nowhere } = target;
  const operators = [{ name: "shop", setup: wrong }];
  const bare: Step = { do: "apply", object: { ...shop, metadata } };
  expect((await examineScenario({ ...given, objects: [], operators, steps: [bare] }))?.verdict.class).toBe(
    "observed-generation",
  );
  expect(
    await examineScenario({ ...given, objects: [], steps: [bare, { do: "delete", target: nowhere }] }),
  ).toBeUndefined();
});
