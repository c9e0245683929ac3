import { defineKind } from "@tsbuilder/runtime";
import type { RestMapper } from "@tsbuilder/runtime/advanced";
import { beforeEach, expect, test } from "vitest";
import { checkIsServed } from "./session-actions.ts";

const atFirst = [
  defineKind({ group: "", version: "v1" }, { kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" }),
  defineKind(
    { group: "apps", version: "v1" },
    { kind: "StatefulSet", plural: "statefulsets", scope: "Namespaced" },
  ),
];
const shop = defineKind(
  { group: "example.com", version: "v1" },
  { kind: "Shop", plural: "shops", scope: "Namespaced" },
);

let served = [...atFirst];
let kept: typeof served | undefined;
beforeEach(() => {
  served = [...atFirst];
  kept = undefined;
});

/** A mapper that caches kinds until it is reset, as the client's own does. */
const mapper: RestMapper = {
  kindFor: () => Promise.reject(new Error("not asked for")),
  kinds: async () => (kept ??= [...served]) as never,
  reset: () => {
    kept = undefined;
  },
};

test.each([
  "configmaps",
  "configmaps/status",
  "statefulsets",
  "statefulsets.apps",
  "statefulsets.apps/scale",
])("%s is served", async (resource) => {
  await expect(checkIsServed(mapper, resource)).resolves.toBeUndefined();
});

test.each([
  ["statefulset", 'did you mean "statefulsets.apps"?'],
  ["StatefulSet", 'did you mean "statefulsets.apps"?'],
  ["statefulset.apps", 'did you mean "statefulsets.apps"?'],
  ["statefulsets.batch", 'did you mean "statefulsets.apps"?'],
  ["configmap/status", 'did you mean "configmaps"?'],
  ["shops.example.com", "kubectl api-resources lists them"],
  ["", "kubectl api-resources lists them"],
])("%j is not served", async (resource, hint) => {
  await expect(checkIsServed(mapper, resource)).rejects.toMatchObject({ hint });
});

test("a resource that is new is found", async () => {
  await expect(checkIsServed(mapper, "shops.example.com")).rejects.toThrow('no resource "shops.example.com"');
  served.push(shop);
  await expect(checkIsServed(mapper, "shops.example.com")).resolves.toBeUndefined();
});
