import type { JSONSchema } from "../json-schema.ts";
import { type SchemaCase, formatCases } from "./format-cases.ts";
import { objectCases } from "./object-cases.ts";

const one = (schema: JSONSchema, values: readonly unknown[]): Pick<SchemaCase, "spec" | "creates"> => ({
  spec: { type: "object", properties: { x: schema } },
  creates: values.map((x) => ({ x })),
});

/** A case with a schema for `spec.x`. */
export const cases: readonly SchemaCase[] = [
  {
    name: "integer",
    ...one({ type: "integer", minimum: 1, maximum: 9 }, [0, 10, 1, "a", 1.5, true, null, [], {}]),
  },
  {
    name: "exclusive bounds",
    ...one(
      { type: "integer", minimum: 1, maximum: 9, exclusiveMinimum: true, exclusiveMaximum: true },
      [1, 9, 2],
    ),
  },
  { name: "int32", ...one({ type: "integer", format: "int32" }, [2147483648, "x", true, 1.5, 5]) },
  { name: "int64", ...one({ type: "integer", format: "int64" }, [1.5, true, {}, 9007199254740991]) },
  {
    name: "number",
    ...one({ type: "number", minimum: 0.5, maximum: 1000000, multipleOf: 0.5 }, [
      0.25,
      1,
      1000001.5,
      2000000,
      "a",
      0.7,
    ]),
  },
  {
    name: "bounds that integers can't have",
    ...one({ type: "integer", minimum: 1.5, maximum: 3.5, multipleOf: 0.5 }, [1, 2, 3, 4, 1.5]),
  },
  { name: "bounds of int32", ...one({ type: "integer", format: "int32", maximum: 3_000_000_000 }, [1, 3_000_000_001]) },
  { name: "multipleOf", ...one({ type: "integer", multipleOf: 5 }, [7, 10]) },
  { name: "double", ...one({ type: "number", format: "double" }, ["a", true, 1, 1.5]) },
  {
    name: "string",
    ...one({ type: "string", minLength: 2, maxLength: 4, pattern: "^[a-z]+$" }, [
      "a",
      "abcde",
      "AB",
      "ab",
      1,
      "éé",
      "é",
    ]),
  },
  { name: "one byte", ...one({ type: "string", maxLength: 1 }, ["ab", "é"]) },
  {
    name: "strange text",
    ...one({ type: "string", maxLength: 40, pattern: "^$" }, [
      'a"b\\c',
      "tab\there",
      "ünï😀",
      "\u0001\u007f\u200b<>&",
    ]),
  },
  { name: "enum", ...one({ type: "string", enum: ["a", "b c", 'q"'] }, ["x", "a", 5]) },
  { name: "enum of integers", ...one({ type: "integer", enum: [1, 2] }, [3, 1, "1"]) },
  { name: "nullable enum", ...one({ type: "string", nullable: true, enum: ["a", null] }, [null, "a", "b"]) },
  { name: "boolean", ...one({ type: "boolean" }, ["true", 1, null, true]) },
  { name: "nullable", ...one({ type: "string", nullable: true }, [null, 1, "a"]) },
  {
    name: "int or string",
    ...one({ "x-kubernetes-int-or-string": true, maximum: 5, maxLength: 2 }, [6, "abc", true, 1.5, 5, null]),
  },
  {
    name: "int or string, spelt out",
    ...one(
      {
        "x-kubernetes-int-or-string": true,
        anyOf: [{ type: "integer" }, { type: "string" }],
        pattern: "^\\d+%$",
      },
      [true, "5", "5%", 7, {}],
    ),
  },
  {
    name: "list",
    ...one({ type: "array", minItems: 1, maxItems: 2, items: { type: "string", maxLength: 1 } }, [
      [],
      ["a", "b", "c"],
      ["aa"],
      "a",
      [1, null],
      ["a"],
    ]),
  },
  {
    name: "set",
    ...one({ type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }, [
      ["a", "a", "b", "a"],
      ["a"],
    ]),
  },
  {
    name: "set of atomic objects",
    ...one(
      {
        type: "array",
        "x-kubernetes-list-type": "set",
        items: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: { type: "integer" } } },
      },
      [[{ a: 1 }, { a: 2 }, { a: 1 }]],
    ),
  },
  {
    name: "list map",
    ...one(
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string" }, v: { type: "integer" } },
        },
      },
      [[{ name: "a" }, { name: "a", v: 1 }], [{ v: 1 }, { v: 2 }], ["a"], [{ name: "a" }, { name: "b" }]],
    ),
  },
  {
    name: "list map of two keys",
    ...one(
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        items: {
          type: "object",
          required: ["port"],
          properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } },
        },
      },
      [
        [{ port: 80 }, { port: 80, protocol: "TCP" }],
        [{ port: 80 }, { port: 80, protocol: "UDP" }],
      ],
    ),
  },
  {
    name: "object",
    ...one(
      {
        type: "object",
        required: ["a", "b"],
        properties: {
          a: { type: "string" },
          b: { type: "object", required: ["c"], properties: { c: { type: "string" } } },
        },
      },
      [{}, { a: 1, b: {} }, { a: "x", b: { c: "y", d: 1 } }, []],
    ),
  },
  {
    name: "map",
    ...one(
      {
        type: "object",
        minProperties: 1,
        maxProperties: 2,
        additionalProperties: { type: "integer", minimum: 0 },
      },
      [{}, { a: 1, b: 2, c: 3 }, { a: "x" }, { "a.b/c": -1 }],
    ),
  },
  {
    name: "map without content",
    ...one({ type: "object", additionalProperties: true }, [{ a: 1, b: { c: 1 } }]),
  },
  {
    name: "anyOf",
    ...one({ type: "string", anyOf: [{ minLength: 3 }, { pattern: "^x" }] }, ["a", "xa", "abc"]),
  },
  {
    name: "oneOf",
    ...one(
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      [{}, { a: "1", b: "2" }, { a: "1" }],
    ),
  },
  {
    name: "allOf and not",
    ...one(
      { type: "integer", allOf: [{ minimum: 5 }, { maximum: 7 }], not: { multipleOf: 6 } },
      [1, 6, 8, 5],
    ),
  },
  {
    name: "branches with fields",
    ...one(
      {
        type: "object",
        properties: { kind: { type: "string" }, size: { type: "integer" } },
        anyOf: [
          { properties: { kind: { enum: ["small"] }, size: { maximum: 5 } }, required: ["kind", "size"] },
          { properties: { kind: { enum: ["big"] }, size: { minimum: 50 } }, required: ["kind"] },
        ],
      },
      [{ kind: "big", size: 7 }, { kind: "small", size: 7 }, { size: 1 }, {}],
    ),
  },
  ...formatCases,
  ...objectCases,
];
