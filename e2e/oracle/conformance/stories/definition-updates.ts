import { apply, get, jsonPatch, merge, post, type Step, type Story, story } from "../story.ts";
import type { Fields } from "./pod-cases.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const one = `${crds}/bars.{group}`;
const bars = (version: string): string => `/apis/{group}/${version}/namespaces/{ns}/bars`;

const schemaOf = (spec: object): Fields => ({
  schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
});
const spec = { type: "object", properties: { color: { type: "string" }, size: { type: "integer" } } };
const version = (name: string, more: Fields = {}): Fields => ({
  name,
  served: true,
  storage: name === "v1",
  ...schemaOf(spec),
  ...more,
});
const names = { plural: "bars", singular: "bar", kind: "Bar", listKind: "BarList" };

const definition = (versions: readonly Fields[], more: Fields = {}): Fields => ({
  metadata: { name: "bars.{group}" },
  spec: { group: "{group}", scope: "Namespaced", names, versions, ...more },
});

/** Tables, because the real server's controllers are managers of a CRD, too. */
const change = (value: object): Step =>
  merge(`${one}?includeObject=None`, { spec: value }, { accept: table });
const changeStatus = (value: object): Step =>
  merge(`${one}/status?includeObject=None`, { status: value }, { accept: table });

const established = [definition([version("v1")])];

/** Two versions with equal selectable fields, whose schemas are equal or not. */
const selectable = (more: Fields): Step =>
  post(`${crds}?dryRun=All`, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    ...definition([
      version("v1", { selectableFields: [{ jsonPath: ".spec.color" }] }),
      version("v2", { selectableFields: [{ jsonPath: ".spec.color" }], ...more }),
    ]),
  });

const selects = (path: string): Fields => ({ selectableFields: [{ jsonPath: path }] });
const letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
const manyFields = letters.map((letter) => ({ jsonPath: `.spec.${letter}` }));
const many = {
  type: "object",
  properties: Object.fromEntries(letters.map((letter) => [letter, { type: "string" }])),
};

const deprecated = (more: Fields = {}): Fields => ({ deprecated: true, ...more });

/** Changes of CRDs whose resources are served. */
export const definitionUpdates: readonly Story[] = [
  story(
    "what can't change in an established CRD",
    [
      change({ scope: "Cluster" }),
      change({ scope: "Everywhere" }),
      change({ names: { kind: "Baz" } }),
      change({ names: { kind: "Baz", listKind: "BazList" } }),
      change({ names: { plural: "bazs" } }),
      change({ group: "other.example.com" }),
      change({ group: "other.example.com", scope: "Cluster", names: { kind: "Baz", plural: "bazs" } }),
      jsonPatch(one, [{ op: "remove", path: "/spec/scope" }]),
      change({ names: { singular: "barr" } }),
      change({ names: { listKind: "Bars" } }),
      change({ names: { shortNames: ["b"], categories: ["all"] } }),
      change({ scope: "Cluster", names: { kind: "Baz" } }),
      changeStatus({ acceptedNames: { kind: "not a kind", plural: "A", listKind: "not a kind" } }),
      changeStatus({ storedVersions: [] }),
      changeStatus({ storedVersions: ["v1", "v9"] }),
      change({ scope: "Namespaced" }),
    ],
    established,
  ),
  story("selectable fields that all versions share", [
    selectable({}),
    selectable(schemaOf({ ...spec, description: "another" })),
    selectable(schemaOf({ type: "object" })),
    selectable({ ...schemaOf({ type: "object" }), ...selects(".spec.size") }),
    selectable({ ...schemaOf({ ...spec, description: "another" }), ...selects(".spec.size") }),
    selectable({ selectableFields: [] }),
    selectable({ selectableFields: null }),
    selectable({ selectableFields: [{}] }),
    selectable({ ...schemaOf({ ...spec, description: "another" }), selectableFields: [{}] }),
    selectable({ selectableFields: manyFields, ...schemaOf(many) }),
  ]),
  story(
    "the warning of a deprecated version",
    ["v1alpha1", "v1beta1", "v1beta2", "v1", "v2", "v3beta1"].map((name) => get(bars(name))),
    [
      definition([
        version("v1alpha1", deprecated()),
        version("v1beta1", deprecated()),
        version("v1beta2"),
        version("v1", deprecated()),
        version("v2", deprecated({ deprecationWarning: "gone soon" })),
        version("v3beta1", { served: true }),
      ]),
    ],
  ),
  story(
    "the warning of a version that none is newer than",
    [get(bars("v1alpha1")), get(bars("v1"))],
    [
      definition([
        version("v1alpha1", deprecated()),
        version("v1", deprecated()),
        version("v2", { served: false }),
      ]),
    ],
  ),
  story(
    "selectors of a cluster-scoped custom resource",
    [
      "metadata.name=a",
      "metadata.namespace=a",
      "metadata.namespace!=a",
      "metadata.namespace=",
      "spec.color=a",
    ].map((selector) => get(`/apis/{group}/v1/bars?fieldSelector=${encodeURIComponent(selector)}`)),
    [definition([version("v1", selects(".spec.color"))], { scope: "Cluster" })],
  ),
  story(
    "selectors of a cluster-scoped custom resource without selectable fields",
    ["metadata.name=a", "metadata.namespace=a", "metadata.namespace=", "spec.color=a"].map((selector) =>
      get(`/apis/{group}/v1/bars?fieldSelector=${encodeURIComponent(selector)}`),
    ),
    [definition([version("v1")], { scope: "Cluster" })],
  ),
  story(
    "keys of managed fields with signs of markup",
    [
      apply(`${bars("v1")}/a?fieldManager=m`, {
        apiVersion: "{group}/v1",
        kind: "Bar",
        metadata: { name: "a" },
        spec: {
          ports: [{ name: `<a>&'"\\ é` }, { name: "b", port: 1 }],
          tags: ["<", "&", ">", "\t\n"],
          values: { "<b>&": "c", 'a/b"': "e" },
        },
      }),
      merge(`${bars("v1")}/a?fieldManager=n`, {
        spec: { values: { "<n>": "1" }, tags: ["\u2028", "<b>", "\\u003c"] },
      }),
      apply(`${bars("v1")}/a?fieldManager=o`, {
        apiVersion: "{group}/v1",
        kind: "Bar",
        metadata: { name: "a" },
        spec: { ports: [{ name: `<a>&'"\\ é`, port: 3 }], tags: ["<b>"], values: { "<n>": "2" } },
      }),
      apply(`${bars("v1")}/a?fieldManager=o`, {
        apiVersion: "{group}/v1",
        kind: "Bar",
        metadata: { name: "a" },
        spec: { ports: [{ name: "<c>", port: "3" }], tags: ["<b>", "<b>"] },
      }),
      get(`${bars("v1")}/a`),
    ],
    [
      definition([
        version(
          "v1",
          schemaOf({
            type: "object",
            properties: {
              ports: {
                type: "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                items: {
                  type: "object",
                  required: ["name"],
                  properties: { name: { type: "string" }, port: { type: "integer" } },
                },
              },
              tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
              values: { type: "object", additionalProperties: { type: "string" } },
            },
          }),
        ),
      ]),
    ],
  ),
  story(
    "applying to the scale of a custom resource",
    [
      post(bars("v1"), { apiVersion: "{group}/v1", kind: "Bar", metadata: { name: "a" }, spec: { size: 1 } }),
      apply(`${bars("v1")}/a/scale?fieldManager=m`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a" },
        spec: { replicas: 2 },
      }),
      apply(`${bars("v1")}/a/scale?fieldManager=m&force=true`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        spec: { replicas: 2 },
      }),
      apply(`${bars("v1")}/a/scale?fieldManager=m&force=true`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a" },
        spec: { replicas: 2 },
      }),
      apply(`${bars("v1")}/b/scale?fieldManager=m`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "b" },
        spec: { replicas: 2 },
      }),
      apply(`${bars("v1")}/a/scale?fieldManager=m`, {
        apiVersion: "{group}/v1",
        kind: "Bar",
        metadata: { name: "a" },
        spec: { size: 2 },
      }),
      get(`${bars("v1")}/a`),
    ],
    [
      definition([
        version("v1", {
          subresources: { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        }),
      ]),
    ],
  ),
];
