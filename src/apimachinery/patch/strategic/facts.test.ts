import { isEqual, type JSONObject } from "../../json/index.ts";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SchemaNode } from "../index.ts";
import { applyStrategicMergePatch } from "./index.ts";

/**
 * The results of strategic merge patches in the tests of Kubernetes' own library, each fact once, with our own field
 * names. We don't create strategic merge patches, so the facts about that are left out.
 */
const facts = JSON.parse(
  readFileSync(new URL("../testdata/strategic-facts.json", import.meta.url), "utf8"),
) as Array<{ from: JSONObject; patch: JSONObject; to: JSONObject }>;

const list = (items: SchemaNode, strategy?: string, key?: string): SchemaNode => ({
  type: "array",
  items,
  ...(strategy && { "x-kubernetes-patch-strategy": strategy }),
  ...(key && { "x-kubernetes-patch-merge-key": key }),
});
const numbers: SchemaNode = { type: "integer" };
const map: SchemaNode = { type: "object", additionalProperties: { type: "string" } };

const properties: Record<string, SchemaNode> = {};
const item: SchemaNode = { type: "object", properties };
Object.assign(properties, {
  merged: list(item, "merge", "id"),
  replaced: list(item),
  numbers: list(numbers, "merge"),
  fixedNumbers: list(numbers),
  // The library itself uses this one both as an object and as a list.
  nested: { ...list(item, "merge", "id"), properties },
  map,
  whole: { type: "object", "x-kubernetes-patch-strategy": "replace" },
  retained: {
    type: "object",
    "x-kubernetes-patch-strategy": "retainKeys",
    properties: {
      map,
      numbers: list(numbers, "merge"),
      merged: list(item, "merge", "id"),
      replaced: list(item),
    },
  },
  retainedList: list(item, "merge,retainKeys", "id"),
});

test(`applyStrategicMergePatch() agrees with all ${facts.length} facts of Kubernetes' own library`, () => {
  const wrong = facts.flatMap((fact) => {
    const actual = applyStrategicMergePatch(fact.from, fact.patch, item);
    return isEqual(actual, fact.to) ? [] : [{ ...fact, actual }];
  });
  expect(wrong).toEqual([]);
});

test.each([
  [
    "an order that the patch's own list contradicts",
    { merged: [{ id: 3 }, { id: 1 }], "$setElementOrder/merged": [{ id: 1 }, { id: 3 }] },
    "doesn't match",
  ],
  [
    "an order of numbers that the list contradicts",
    { numbers: [3, 1], "$setElementOrder/numbers": [1, 3] },
    "doesn't match",
  ],
  ["an item without its key", { merged: [{ a: "b" }] }, "does not contain declared merge key"],
])("applyStrategicMergePatch() rejects %s", (_name, patch, message) => {
  expect(() => applyStrategicMergePatch({ merged: [{ id: 1 }], numbers: [1] }, patch, item)).toThrow(message);
});
