import type { SchemaCase } from "./format-cases.ts";

/** Defaults, preserved fields, embedded resources and updates. */
export const objectCases: readonly SchemaCase[] = [
  {
    name: "defaults",
    spec: {
      type: "object",
      default: {},
      properties: {
        a: { type: "string", default: "x" },
        n: { type: "string", nullable: true, default: "y" },
        o: {
          type: "object",
          default: {},
          properties: { p: { type: "integer", default: 3 }, q: { type: "string" } },
        },
        l: {
          type: "array",
          items: { type: "object", properties: { d: { type: "boolean", default: false } } },
        },
        m: {
          type: "object",
          additionalProperties: { type: "object", properties: { d: { type: "integer", default: 1 } } },
        },
      },
    },
    creates: [
      undefined,
      {},
      { a: null, n: null },
      { o: { p: null, q: null } },
      { l: [{}, { d: true }, null] },
      { m: { k: {}, j: null } },
      { o: { p: 5 } },
    ],
  },
  {
    name: "preserved fields",
    spec: {
      type: "object",
      properties: {
        any: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { a: { type: "string" } } } },
        },
        typeless: { "x-kubernetes-preserve-unknown-fields": true },
        list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      },
    },
    creates: [
      {
        any: { x: 1, known: { a: "1", b: 2 } },
        typeless: [1, { a: null }],
        list: [{ a: "1", b: 1 }],
        gone: 1,
      },
      { any: { known: { a: null } } },
    ],
  },
  {
    name: "embedded resource",
    spec: {
      type: "object",
      properties: {
        r: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        s: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
        },
      },
    },
    creates: [
      { r: {} },
      { r: { apiVersion: "a/b/c", kind: "x y" } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { name: "a/b" }, x: 1 } },
      { s: { apiVersion: "v1", kind: "Pod", spec: { a: "1", b: 2 }, c: 1 } },
      { r: { apiVersion: "", kind: "" } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", foo: 1, labels: { a: "b" } } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: null } },
      {
        r: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { creationTimestamp: null, name: "a", labels: null, annotations: {} },
        },
      },
      {
        r: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { labels: { "a b": "c" }, annotations: { "x y": "z" } },
        },
      },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "c d" } } } },
      {
        r: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "n", uid: "u", extra: 1 }] },
        },
      },
      {
        r: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { generation: -1, namespace: "A B", generateName: "a/b" },
        },
      },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { ownerReferences: [{ apiVersion: "v1" }] } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { managedFields: [{ manager: "m" }] } } },
    ],
  },
  {
    name: "ratcheting",
    spec: {
      type: "object",
      properties: {
        s: { type: "string", maxLength: 2 },
        t: { type: "integer" },
        l: { type: "array", items: { type: "string", maxLength: 2 } },
        m: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: {
            type: "object",
            required: ["k"],
            properties: { k: { type: "string" }, v: { type: "string", maxLength: 2 } },
          },
        },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        all: {
          type: "object",
          properties: { a: { type: "string" }, b: { type: "string" } },
          allOf: [{ properties: { a: { maxLength: 2 } } }],
        },
        map: { type: "object", additionalProperties: { type: "string", maxLength: 2 } },
      },
    },
    updates: [
      { before: { s: "long" }, after: { s: "long", t: 1 } },
      { before: { s: "long" }, after: { s: "longer" } },
      { before: { l: ["long"] }, after: { l: ["long"], t: 1 } },
      { before: { l: ["long"] }, after: { l: ["long", "a"] } },
      {
        before: { m: [{ k: "a", v: "long" }, { k: "b" }] },
        after: { m: [{ k: "b" }, { k: "a", v: "long" }, { k: "c" }] },
      },
      { before: { m: [{ k: "a", v: "long" }] }, after: { m: [{ k: "a", v: "longer" }] } },
      { before: { set: ["a", "a"] }, after: { set: ["a", "a", "b"] } },
      { before: { set: ["a"] }, after: { set: ["a", "a"] } },
      { before: { all: { a: "long" } }, after: { all: { a: "long" }, t: 1 } },
      { before: { all: { a: "long" } }, after: { all: { a: "long", b: "x" } } },
      { before: { map: { x: "long" } }, after: { map: { x: "long", y: "a" } } },
    ],
  },
];
