import { apply, get, jsonPatch, merge, post, put, remove, type Story, story, strategic } from "../story.ts";

const things = "/apis/{group}/v1/namespaces/{ns}/things";
const thing = (name: string, more: object = {}) => ({
  apiVersion: "{group}/v1",
  kind: "Thing",
  metadata: { name },
  ...more,
});

export function definition(schema: object, version: object = {}, spec: object = {}) {
  return {
    metadata: { name: "things.{group}" },
    spec: {
      group: "{group}",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version },
      ],
      ...spec,
    },
  };
}

const plain = definition(
  {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["size"],
        properties: {
          size: { type: "integer", minimum: 1, maximum: 10 },
          name: { type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" },
          color: { type: "string", enum: ["red", "blue"], default: "red" },
          port: { "x-kubernetes-int-or-string": true },
          ratio: { type: "number" },
          on: { type: "boolean", nullable: true },
          when: { type: "string", format: "date-time" },
          tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 3 },
          parts: {
            type: "array",
            items: {
              type: "object",
              required: ["key"],
              properties: { key: { type: "string" }, value: { type: "integer", default: 7 } },
            },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["key"],
          },
          map: { type: "object", additionalProperties: { type: "integer" } },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          nested: {
            type: "object",
            properties: { a: { type: "object", properties: { b: { type: "string" } } } },
          },
        },
      },
      status: {
        type: "object",
        properties: {
          ready: { type: "boolean" },
          replicas: { type: "integer" },
          selector: { type: "string" },
        },
      },
    },
  },
  {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.size",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    },
    additionalPrinterColumns: [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1, description: "its color" },
    ],
  },
);

const open = definition({ type: "object", "x-kubernetes-preserve-unknown-fields": true });

const rules = definition({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { min: { type: "integer" }, max: { type: "integer" }, fixed: { type: "string" } },
      "x-kubernetes-validations": [
        {
          rule: "!has(self.min) || !has(self.max) || self.min <= self.max",
          message: "min must not exceed max",
        },
        {
          rule: "!has(oldSelf.fixed) || (has(self.fixed) && self.fixed == oldSelf.fixed)",
          message: "fixed is fixed",
          reason: "FieldValueForbidden",
          fieldPath: ".fixed",
        },
        {
          rule: "!has(self.max) || self.max < 100",
          messageExpression: "self.max > 1000 ? 'far too much' : 'too much'",
        },
      ],
    },
  },
});

export const customResources: readonly Story[] = [
  story(
    "create and validate",
    [
      post(things, thing("a", { spec: { size: 1 } })),
      post(things, thing("b")),
      post(things, thing("b", { spec: {} })),
      post(things, thing("b", { spec: { size: 0 } })),
      post(things, thing("b", { spec: { size: 11 } })),
      post(things, thing("b", { spec: { size: "1" } })),
      post(things, thing("b", { spec: { size: 1.5 } })),
      post(things, thing("b", { spec: { size: null } })),
      post(things, thing("b", { spec: { size: 1, name: "x" } })),
      post(things, thing("b", { spec: { size: 1, name: "toolong" } })),
      post(things, thing("b", { spec: { size: 1, name: "AB" } })),
      post(things, thing("b", { spec: { size: 1, color: "green" } })),
      post(things, thing("b", { spec: { size: 1, port: true } })),
      post(things, thing("c", { spec: { size: 1, port: "http", ratio: 1, on: null, color: null } })),
      post(things, thing("d", { spec: { size: 1, when: "never" } })),
      post(things, thing("d", { spec: { size: 1, tags: ["a", "a"] } })),
      post(things, thing("d", { spec: { size: 1, tags: ["a", "b", "c", "d"] } })),
      post(things, thing("d", { spec: { size: 1, parts: [{ key: "a" }, { key: "a" }] } })),
      post(things, thing("d", { spec: { size: 1, parts: [{ value: 1 }] } })),
      post(things, thing("d", { spec: { size: 1, parts: [{ key: "a" }, { key: "b", value: 2 }] } })),
      post(things, thing("e", { spec: { size: 1, map: { a: 1, b: "2" } } })),
      post(things, thing("e", { spec: { size: 5, name: "A" } })),
      post(things, thing("e", { spec: "text" })),
      post(things, { ...thing("e", { spec: { size: 1 } }), apiVersion: "{group}/v2" }),
      post(things, { ...thing("e", { spec: { size: 1 } }), kind: "Other" }),
      post(things, { metadata: { name: "e" }, spec: { size: 1 } }),
      post(things, thing("UPPER", { spec: { size: 1 } })),
      post(things, { ...thing("", { spec: { size: 1 } }), metadata: { generateName: "gen-" } }),
    ],
    [plain],
  ),
  story(
    "unknown fields",
    [
      post(
        things,
        thing("a", {
          spec: { size: 1, junk: { x: 1 }, free: { any: [1, { thing: null }] }, nested: { a: { c: 1 } } },
          extra: 1,
        }),
      ),
      post(
        `${things}?fieldValidation=Strict`,
        thing("b", { spec: { size: 1, junk: 1, nested: { a: { c: 1 } } } }),
      ),
      post(
        `${things}?fieldValidation=Strict`,
        '{"apiVersion":"{group}/v1","kind":"Thing","metadata":{"name":"b"},"spec":{"size":1,"size":2}}',
      ),
      post(`${things}?fieldValidation=Ignore`, thing("c", { spec: { size: 1, junk: 1 } })),
      post(
        `${things}?fieldValidation=Strict`,
        thing("d", { metadata: { name: "d", foo: 1 }, spec: { size: 1 } }),
      ),
      merge(`${things}/a?fieldValidation=Strict`, { spec: { other: 1 } }),
      merge(`${things}/a`, { spec: { other: 1 } }),
    ],
    [plain],
  ),
  story(
    "updates and generation",
    [
      post(things, thing("a", { spec: { size: 1 }, status: { ready: true } })),
      put(`${things}/a`, thing("a", { spec: { size: 2 } })),
      put(
        `${things}/a`,
        thing("a", {
          metadata: { name: "a", resourceVersion: "{1.metadata.resourceVersion}" },
          spec: { size: 2 },
        }),
      ),
      put(
        `${things}/a`,
        thing("a", {
          metadata: { name: "a", resourceVersion: "{1.metadata.resourceVersion}" },
          spec: { size: 3 },
        }),
      ),
      merge(`${things}/a`, { metadata: { labels: { a: "b" } } }),
      merge(`${things}/a`, { spec: { size: 3 }, status: { ready: true } }),
      merge(`${things}/a/status`, {
        spec: { size: 4 },
        status: { ready: true },
        metadata: { labels: { c: "d" } },
      }),
      get(`${things}/a`),
      get(`${things}/a/status`),
      put(`${things}/a/status`, thing("a", { metadata: { name: "a", resourceVersion: "1" }, status: {} })),
      merge(`${things}/a/status`, { status: { ready: "yes" } }),
      merge(`${things}/a/status`, { status: { junk: 1 } }),
      jsonPatch(`${things}/a`, [{ op: "replace", path: "/spec/size", value: 5 }]),
      strategic(`${things}/a`, { spec: { size: 6 } }),
      merge(`${things}/a`, { spec: null }),
      merge(`${things}/a`, { apiVersion: "{group}/v2" }),
      remove(`${things}/a`),
    ],
    [plain],
  ),
  story(
    "scale",
    [
      post(things, thing("a", { spec: { size: 3 } })),
      get(`${things}/a/scale`),
      merge(`${things}/a/scale`, { spec: { replicas: 5 } }),
      put(`${things}/a/scale`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a", namespace: "{ns}" },
        spec: { replicas: 6 },
      }),
      put(`${things}/a/scale`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a", namespace: "{ns}", resourceVersion: "1" },
        spec: { replicas: 6 },
      }),
      merge(`${things}/a/scale`, { spec: { replicas: -1 } }),
      merge(`${things}/a/scale`, { spec: { replicas: 50 } }),
      get(`${things}/a`),
      get(`${things}/missing/scale`),
    ],
    [plain],
  ),
  story(
    "tables and discovery",
    [
      post(things, thing("a", { spec: { size: 1 } })),
      get(things, "application/json;as=Table;v=v1;g=meta.k8s.io"),
      get(things),
      get("/apis/{group}"),
      get("/apis/{group}/v1"),
      get("/apis/{group}/v1/things"),
      get(`${things}?fieldSelector=spec.size%3D1`),
      get(
        `${things}?fieldSelector=metadata.name%3Da`,
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
      ),
      remove(things),
    ],
    [plain],
  ),
  story(
    "server-side apply",
    [
      apply(`${things}/a?fieldManager=m`, thing("a", { spec: { size: 1, parts: [{ key: "x", value: 1 }] } })),
      apply(`${things}/a?fieldManager=n`, thing("a", { spec: { size: 1, parts: [{ key: "y" }] } })),
      apply(`${things}/a?fieldManager=m`, thing("a", { spec: { size: 1 } })),
      apply(`${things}/a?fieldManager=m`, thing("a", { spec: { size: 2 } })),
      apply(`${things}/a?fieldManager=m&force=true`, thing("a", { spec: { size: 2, tags: ["a", "b"] } })),
      apply(`${things}/a?fieldManager=m`, thing("a", { spec: { size: 0 } })),
      apply(`${things}/a?fieldManager=m`, thing("a", { spec: { size: 2, junk: 1 } })),
      apply(`${things}/a/status?fieldManager=s`, thing("a", { status: { ready: true } })),
      apply(`${things}/b?fieldManager=m`, thing("b", {})),
      get(`${things}/a`),
    ],
    [plain],
  ),
  story(
    "a schema that keeps everything",
    [
      post(things, thing("a", { spec: { anything: [1, "x"] }, other: true })),
      merge(`${things}/a`, { other: false }),
      apply(`${things}/a?fieldManager=m`, thing("a", { more: { x: 1 } })),
      merge(`${things}/a/status`, { status: {} }),
      merge(`${things}/a`, { status: { now: "kept" } }),
    ],
    [open],
  ),
  story(
    "CEL rules",
    [
      post(things, thing("a", { spec: { min: 1, max: 2, fixed: "x" } })),
      post(things, thing("b", { spec: { min: 3, max: 2 } })),
      merge(`${things}/a`, { spec: { min: 5 } }),
      merge(`${things}/a`, { spec: { fixed: "y" } }),
      merge(`${things}/a`, { spec: { max: 100 } }),
      merge(`${things}/a`, { spec: { max: 100, min: 200, fixed: null } }),
      merge(`${things}/a`, { spec: { max: 50 } }),
    ],
    [rules],
  ),
];
