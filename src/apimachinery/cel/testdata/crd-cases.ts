import type { JSONSchema } from "../../schema/json-schema.ts";
import { type CRDCase, crdRuleCases } from "./crd-rule-cases.ts";

const x = (schema: JSONSchema): JSONSchema => ({ type: "object", properties: { x: schema } });

const rule = (text: string, more: object = {}): JSONSchema => ({
  "x-kubernetes-validations": [{ rule: text, ...more }],
});

const text: JSONSchema = { type: "string" };

const texts: JSONSchema = { type: "array", items: text };

/** Schemas with one error each, and a few valid ones. */
export const crdCases: readonly CRDCase[] = [
  { name: "fine", spec: x(text) },
  { name: "no type at a field", spec: x({}) },
  { name: "no type at items", spec: x({ type: "array", items: {} }) },
  { name: "no items", spec: x({ type: "array" }) },
  { name: "unknown type", spec: x({ type: "text" }) },
  { name: "null type", spec: x({ type: "null" }) },
  { name: "root of another type", root: { type: "string" } },
  { name: "root without type", root: { properties: { spec: text } } },
  { name: "root with additionalProperties", root: { type: "object", additionalProperties: text } },
  { name: "nullable root", root: { type: "object", nullable: true } },
  {
    name: "properties and additionalProperties",
    spec: x({ type: "object", properties: { a: text }, additionalProperties: text }),
  },
  {
    name: "closed object",
    spec: x({ type: "object", properties: { a: text }, additionalProperties: false }),
  },
  {
    name: "type in allOf",
    spec: x({ type: "object", properties: { a: text }, allOf: [{ properties: { a: { type: "string" } } }] }),
  },
  {
    name: "much in anyOf",
    spec: x({
      type: "object",
      anyOf: [
        {
          title: "t",
          description: "d",
          nullable: true,
          default: {},
          additionalProperties: true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      ],
    }),
  },
  {
    name: "field only in a branch",
    spec: x({ type: "object", oneOf: [{ properties: { a: { minimum: 1 } }, required: ["a"] }] }),
  },
  { name: "items only in a branch", spec: x({ type: "object", not: { items: { minLength: 1 } } }) },
  {
    name: "int or string with preserved fields",
    spec: x({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true }),
  },
  {
    name: "int or string spelt out",
    spec: x({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }),
  },
  {
    name: "int or string in allOf",
    spec: x({
      "x-kubernetes-int-or-string": true,
      allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { maximum: 5 }],
    }),
  },
  { name: "bad pattern", spec: x({ type: "string", pattern: "[" }) },
  { name: "pattern with look-ahead", spec: x({ type: "string", pattern: "(?=a)" }) },
  { name: "bad pattern in a branch", spec: x({ type: "string", anyOf: [{ pattern: "(" }] }) },
  {
    name: "embedded resource of no type",
    spec: x({ "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }),
  },
  {
    name: "embedded resource without fields",
    spec: x({ type: "object", "x-kubernetes-embedded-resource": true }),
  },
  {
    name: "embedded resource as a map",
    spec: x({ type: "object", "x-kubernetes-embedded-resource": true, additionalProperties: text }),
  },
  {
    name: "metadata restricted at the root",
    root: {
      type: "object",
      properties: {
        metadata: { type: "object", properties: { labels: { type: "object", additionalProperties: text } } },
      },
    },
  },
  {
    name: "metadata name restricted",
    root: {
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 } } } },
    },
  },
  {
    name: "metadata of another type",
    root: { type: "object", properties: { metadata: text, kind: { type: "integer" } } },
  },
  {
    name: "metadata in a branch",
    root: {
      type: "object",
      properties: { metadata: { type: "object" } },
      allOf: [{ properties: { metadata: { properties: { name: { maxLength: 3 } } } } }],
    },
  },
  {
    name: "preserve-unknown-fields false",
    spec: x({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
  },
  { name: "uniqueItems", spec: x({ ...texts, uniqueItems: true }) },
  { name: "reference", spec: x({ $ref: "#/a" }) },
  { name: "pattern properties", spec: x({ type: "object", patternProperties: { a: text } }) },
  { name: "definitions", spec: x({ type: "object", definitions: { a: text } }) },
  { name: "id", spec: x({ type: "object", id: "a" }) },
  { name: "list type on an object", spec: x({ type: "object", "x-kubernetes-list-type": "set" }) },
  { name: "unknown list type", spec: x({ ...texts, "x-kubernetes-list-type": "bag" }) },
  { name: "map type on a list", spec: x({ ...texts, "x-kubernetes-map-type": "atomic" }) },
  { name: "unknown map type", spec: x({ type: "object", "x-kubernetes-map-type": "loose" }) },
  {
    name: "set of objects",
    spec: x({ type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } }),
  },
  {
    name: "set of sets",
    spec: x({
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { ...texts, "x-kubernetes-list-type": "set" },
    }),
  },
  {
    name: "set of nullables",
    spec: x({ type: "array", "x-kubernetes-list-type": "set", items: { type: "string", nullable: true } }),
  },
  {
    name: "list map without keys",
    spec: x({ type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } }),
  },
  {
    name: "list map of texts",
    spec: x({ ...texts, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] }),
  },
  {
    name: "list map of unknown keys",
    spec: x({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "a"],
      items: { type: "object", properties: { b: text } },
    }),
  },
  {
    name: "list map with optional keys",
    spec: x({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "b", "c"],
      items: {
        type: "object",
        required: ["b"],
        properties: { a: text, b: { type: "string", nullable: true }, c: { type: "string", default: "x" } },
      },
    }),
  },
  {
    name: "list map with compound keys",
    spec: x({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object", required: ["a"], properties: { a: texts } },
    }),
  },
  {
    name: "keys on a set",
    spec: x({ ...texts, "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"] }),
  },
  { name: "keys on a list", spec: x({ ...texts, "x-kubernetes-list-map-keys": ["a"] }) },
  { name: "default of another type", spec: x({ type: "string", default: 5 }) },
  { name: "default too small", spec: x({ type: "integer", minimum: 3, default: 1 }) },
  {
    name: "default with unknown fields",
    spec: x({ type: "object", properties: { a: text }, default: { a: "1", b: 2 } }),
  },
  { name: "default that breaks a rule", spec: x({ type: "integer", default: 1, ...rule("self > 3") }) },
  {
    name: "default at the top",
    root: { type: "object", properties: { kind: { type: "string", default: "X" } } },
  },
  { name: "null default", spec: x({ type: "string", default: null }) },
  {
    name: "default of a list item",
    spec: x({ type: "array", items: { type: "integer", maximum: 2, default: 3 } }),
  },
  {
    name: "status root with oneOf",
    root: {
      type: "object",
      oneOf: [{ required: ["spec"] }],
      properties: { spec: text, status: { type: "object" } },
    },
    hasStatus: true,
  },
  ...crdRuleCases,
];
