import { readFileSync } from "node:fs";
import type { JSONSchema, ValidationRule } from "../../schema/json-schema.ts";

/** A schema with every type that rules can access. */
export const schema: JSONSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", maxLength: 20 },
        text: { type: "string" },
        count: { type: "integer", minimum: 0 },
        ratio: { type: "number" },
        on: { type: "boolean" },
        port: { "x-kubernetes-int-or-string": true },
        when: { type: "string", format: "date-time" },
        day: { type: "string", format: "date" },
        span: { type: "string", format: "duration" },
        data: { type: "string", format: "byte" },
        maybe: { type: "string", nullable: true },
        kind: { type: "string", enum: ["Small", "Large"] },
        names: { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } },
        numbers: { type: "array", items: { type: "integer" } },
        doubles: { type: "array", maxItems: 5, items: { type: "number" } },
        set: {
          type: "array",
          "x-kubernetes-list-type": "set",
          maxItems: 5,
          items: { type: "string", maxLength: 5 },
        },
        items: {
          type: "array",
          maxItems: 4,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["key"],
          items: {
            type: "object",
            required: ["key"],
            properties: {
              key: { type: "string", maxLength: 8 },
              value: { type: "integer" },
              tags: { type: "array", maxItems: 3, items: { type: "string", maxLength: 6 } },
            },
          },
        },
        labels: { type: "object", maxProperties: 5, additionalProperties: { type: "string", maxLength: 10 } },
        open: { type: "object", additionalProperties: { type: "string" } },
        nested: {
          type: "object",
          properties: { a: { type: "object", properties: { b: { type: "integer" } } } },
        },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        "a-b.c/d": { type: "string" },
        namespace: { type: "string" },
        __x: { type: "string" },
      },
    },
  },
};

/** An object that matches the schema. */
export const object = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "thing" },
  spec: {
    name: "abc",
    text: "the quick brown fox",
    count: 3,
    ratio: 1.5,
    on: true,
    port: "http",
    when: "2024-05-01T12:00:00Z",
    day: "2024-05-01",
    span: "1h30m",
    data: "aGVsbG8=",
    maybe: null,
    kind: "Small",
    names: ["a", "bb", "ccc"],
    numbers: [3, 1, 2],
    doubles: [0.5, 2],
    set: ["x", "y"],
    items: [
      { key: "one", value: 1, tags: ["t"] },
      { key: "two", value: 2 },
    ],
    labels: { app: "web", tier: "front" },
    open: { k: "v" },
    nested: { a: { b: 7 } },
    any: { z: 1 },
    "a-b.c/d": "dashed",
    namespace: "ns",
    __x: "under",
  },
};

/** The old object. */
export const old = {
  ...object,
  spec: { ...object.spec, count: 2, set: ["y", "x"], items: object.spec.items.toReversed() },
};

/** The expressions of the rules. */
export const expressions: readonly string[] = readFileSync(
  new URL("expressions.txt", import.meta.url),
  "utf8",
)
  .trimEnd()
  .split("\n");

/** The rules of a node, as in a CRD. */
export function withRules(rules: readonly ValidationRule[]): JSONSchema {
  return { ...schema, "x-kubernetes-validations": rules };
}
