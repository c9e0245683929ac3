import { apply, get, merge, post, put, type Step, type Story, story } from "../story.ts";

const foos = "/apis/{group}/v1/namespaces/{ns}/foos";
const foo = (name: string, spec: object | null) => ({
  apiVersion: "{group}/v1",
  kind: "Foo",
  metadata: { name },
  spec,
});

const text = { type: "string" };
const pair = { type: "object", properties: { k: text, v: text }, required: ["k"] };
const properties = {
  boolean: { type: "boolean" },
  nullable: { type: "boolean", nullable: true },
  defaulted: { type: "boolean", default: true },
  text,
  object: { type: "object", properties: { x: { type: "integer" } } },
  flags: { type: "object", additionalProperties: { type: "boolean" } },
  list: { type: "array", items: text },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  map: {
    type: "array",
    items: pair,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
  },
  open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

const crd = {
  metadata: { name: "foos.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
        },
      },
    ],
  },
};

/** All other writes than an apply decode the object, which drops the nulls of fields that are not nullable. */
const everyWrite = (field: string): Step[] => [
  apply(`${foos}/new-${field}?fieldManager=m`, foo(`new-${field}`, { [field]: null })),
  post(foos, foo(field, { text: "x" })),
  apply(`${foos}/${field}?fieldManager=m`, foo(field, { [field]: null })),
  merge(`${foos}/${field}`, { spec: { [field]: null } }),
  post(foos, foo(`posted-${field}`, { [field]: null })),
];

const embedding = {
  ...crd,
  spec: {
    ...crd.spec,
    versions: [
      {
        ...crd.spec.versions[0],
        additionalPrinterColumns: ["text", "count"].map((name) => ({
          name,
          type: "date",
          jsonPath: `.spec.${name}`,
        })),
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  text,
                  count: { type: "integer" },
                  resource: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const nested = {
  flags: { a: null, b: true },
  list: [null],
  set: [null],
  map: [null],
  "map-key": [{ k: null }],
  "map-value": [{ k: "a", v: null }],
  object: { x: null },
  open: { x: null, y: [null] },
};

export const nullValues: readonly Story[] = [
  story("null at a field of a custom object", Object.keys(properties).flatMap(everyWrite), [crd]),
  story(
    "null within a field of a custom object",
    [
      ...Object.entries(nested).map(([name, value]) =>
        apply(`${foos}/${name}?fieldManager=m`, foo(name, { [name.split("-")[0]!]: value })),
      ),
      apply(`${foos}/open?fieldManager=m`, foo("open", { open: { x: null }, flags: { a: null } })),
      apply(`${foos}/none?fieldManager=m`, foo("none", null)),
      put(`${foos}/open`, foo("open", { open: { x: null }, flags: { a: null } })),
      get(`${foos}/open`),
    ],
    [crd],
  ),
  story(
    "nothing left of what somebody else created, beside an embedded resource",
    [
      post(foos, foo("a", {})),
      apply(`${foos}/a?fieldManager=m`, foo("a", { text: "x" })),
      apply(`${foos}/a?fieldManager=m`, foo("a", {})),
      get(`${foos}/a`),
      merge(`${foos}/a`, { spec: { text: "", count: 1 } }),
      get(`${foos}/a`, "application/json;as=Table;v=v1;g=meta.k8s.io"),
    ],
    [embedding],
  ),
];
