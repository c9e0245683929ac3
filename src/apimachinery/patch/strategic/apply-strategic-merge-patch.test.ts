import type { JSONObject } from "../../json/index.ts";
import { describe, expect, it } from "vitest";
import type { SchemaNode } from "../index.ts";
import { PatchError } from "../patch-error.ts";
import { applyStrategicMergePatch } from "./index.ts";

const byName = { "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge" };

/** A part of a pod with every type of list. */
const schema: SchemaNode = {
  typeName: "core/v1.PodSpec",
  properties: {
    finalizers: { type: "array", "x-kubernetes-patch-strategy": "merge" },
    owners: { type: "array", "x-kubernetes-patch-strategy": "merge" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    tolerations: { type: "array" },
    volumes: {
      type: "array",
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge,retainKeys",
      items: { type: "object" },
    },
    selector: { type: "object", "x-kubernetes-patch-strategy": "replace" },
    containers: {
      type: "array",
      ...byName,
      items: {
        type: "object",
        properties: { env: { type: "array", ...byName, items: { type: "object" } }, args: { type: "array" } },
      },
    },
  },
};

const a = { name: "a", image: "x" };
const b = { name: "b", image: "x" };

describe("applyStrategicMergePatch()", () => {
  it.each<[string, JSONObject, JSONObject, JSONObject]>([
    ["merges objects", { labels: { a: "1" } }, { labels: { b: "2" } }, { labels: { a: "1", b: "2" } }],
    ["removes by null", { labels: { a: "1", b: "2" } }, { labels: { a: null } }, { labels: { b: "2" } }],
    ["removes a list by null", { containers: [a] }, { containers: null }, {}],
    [
      "merges items by key, in place",
      { containers: [a, b] },
      { containers: [{ name: "b", image: "y" }] },
      { containers: [a, { name: "b", image: "y" }] },
    ],
    ["puts new items first", { containers: [a] }, { containers: [b] }, { containers: [b, a] }],
    [
      "merges lists within items",
      { containers: [{ name: "a", env: [{ name: "A", value: "1" }] }] },
      { containers: [{ name: "a", env: [{ name: "A", value: "2" }] }] },
      { containers: [{ name: "a", env: [{ name: "A", value: "2" }] }] },
    ],
    [
      "replaces lists without a strategy",
      { tolerations: [1, 2] },
      { tolerations: [2, 2] },
      { tolerations: [2, 2] },
    ],
    [
      "replaces objects with the replace strategy",
      { selector: { a: "1" } },
      { selector: { b: "2" } },
      { selector: { b: "2" } },
    ],
    [
      "deletes an item",
      { containers: [a, b] },
      { containers: [{ name: "a", $patch: "delete" }] },
      { containers: [b] },
    ],
    [
      "replaces a list on demand",
      { containers: [a, b] },
      { containers: [{ $patch: "replace" }, { name: "c" }] },
      { containers: [{ name: "c" }] },
    ],
    [
      "replaces an object on demand",
      { labels: { a: "1" } },
      { labels: { $patch: "replace", b: "2" } },
      { labels: { b: "2" } },
    ],
    ["empties an object", { labels: { a: "1" } }, { labels: { $patch: "delete" } }, { labels: {} }],
    [
      "keeps only the retained members",
      { volumes: [{ name: "v", emptyDir: {} }] },
      { volumes: [{ name: "v", $retainKeys: ["name", "secret"], secret: { secretName: "s" } }] },
      { volumes: [{ name: "v", secret: { secretName: "s" } }] },
    ],
    [
      "adds to a list of plain values",
      { finalizers: ["a"] },
      { finalizers: ["a", "b"] },
      { finalizers: ["a", "b"] },
    ],
    [
      "removes plain values",
      { finalizers: ["a", "b"] },
      { "$deleteFromPrimitiveList/finalizers": ["a"] },
      { finalizers: ["b"] },
    ],
    [
      "orders items",
      { containers: [a, b] },
      { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] },
      { containers: [b, a] },
    ],
    [
      "orders items around those that it doesn't name",
      { containers: [a, { name: "x" }, b] },
      {
        "$setElementOrder/containers": [{ name: "a" }, { name: "c" }, { name: "b" }],
        containers: [{ name: "c" }],
      },
      { containers: [a, { name: "c" }, { name: "x" }, b] },
    ],
    [
      "orders plain values",
      { finalizers: ["a", "b"] },
      { "$setElementOrder/finalizers": ["b", "a"] },
      { finalizers: ["b", "a"] },
    ],
    ["adds a list", {}, { containers: [a, { name: "b", $patch: "delete" }] }, { containers: [a] }],
    [
      "leaves directives in new values, where they are unknown fields",
      {},
      { labels: { a: "1", $retainKeys: ["b"] } },
      { labels: { a: "1", $retainKeys: ["b"] } },
    ],
    [
      "ignores a deletion that is not a list",
      { finalizers: ["a"] },
      { "$deleteFromPrimitiveList/finalizers": "a" },
      { finalizers: ["a"] },
    ],
    ["adds no object with a directive", {}, { labels: { $patch: "replace", a: "1" } }, {}],
    ["adds an object, without nulls", {}, { labels: { a: "1", b: null } }, { labels: { a: "1" } }],
    ["replaces a value of another type", { labels: "x" }, { labels: { a: "1" } }, { labels: { a: "1" } }],
  ])("%s", (_, object, patch, expected) => {
    const before = structuredClone(object);
    expect(applyStrategicMergePatch(object, patch, schema)).toEqual(expected);
    expect(object).toEqual(before);
  });

  it.each<[string, unknown, PatchError["failure"], string]>([
    ["a list", [], "malformed", "cannot unmarshal array"],
    ["null", null, "malformed", "Invalid JSON Patch"],
    ["an item without its key", { containers: [{ image: "y" }] }, "unforeseen", "merge key: name"],
    ["a deletion without its key", { containers: [{ $patch: "delete" }] }, "unforeseen", "merge key: name"],
    ["an unknown directive", { labels: { $patch: "spam" } }, "unforeseen", "unknown patch type: spam"],
    ["plain values among objects", { containers: [{ name: "a" }, 1] }, "unforeseen", "not identical"],
    ["lists among plain values", { finalizers: [[]] }, "unforeseen", "not identical"],
    ["lists of lists", { owners: [[]] }, "inapplicable", "lists of lists"],
    ["retained members that are not a list", { $retainKeys: "a" }, "malformed", "format of retainKeys"],
    [
      "an order that is not a list",
      { "$setElementOrder/containers": "a" },
      "unforeseen",
      "expected a []interface {}, but received a string",
    ],
    [
      "an order of what is not a field",
      { "$setElementOrder/spam": ["a"] },
      "unforeseen",
      'unable to find api field in struct PodSpec for the json field "spam"',
    ],
    [
      "an order within a map",
      { labels: { "$setElementOrder/spam": ["a"] } },
      "unforeseen",
      "data type is not struct, instead is: map",
    ],
    ["a null directive", { labels: { $patch: null } }, "unforeseen", "unknown patch type: %!s(<nil>) in map"],
    ["members it doesn't retain", { $retainKeys: ["a"], labels: {} }, "malformed", "retainKeys"],
    [
      "items in another order than $setElementOrder",
      {
        "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
        containers: [
          { name: "b", image: "y" },
          { name: "a", image: "y" },
        ],
      },
      "unforeseen",
      "The order in patch list",
    ],
  ])("rejects %s", (_, patch, failure, message) => {
    const refusal = refusalOf(() =>
      applyStrategicMergePatch(
        { containers: [a, b], finalizers: ["a"], owners: [], labels: {} },
        patch as never,
        schema,
      ),
    );
    expect(refusal.failure).toBe(failure);
    expect(refusal.message).toContain(message);
  });
});

function refusalOf(run: () => unknown): PatchError {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error("expected a refusal");
}
