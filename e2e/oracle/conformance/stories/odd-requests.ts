import { apply, get, jsonPatch, merge, post, put, remove, type Story, story } from "../story.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const claimTemplates = "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaimtemplates";
const scale = "/apis/apps/v1/namespaces/{ns}/deployments/d/scale";
const things = "/apis/{group}/v1/namespaces/{ns}/things";

const container = { name: "c", image: "i" };
const deployment = {
  metadata: { name: "d" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
  },
};

const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const definition = {
  metadata: { name: "things.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: free } }],
  },
};

const claimTemplate = (metadata: object): object => ({
  metadata: { name: "a" },
  spec: { metadata, spec: {} },
});
const claimingPod = (claimMetadata: object): object => ({
  metadata: { name: "a" },
  spec: {
    containers: [container],
    volumes: [
      {
        name: "v",
        ephemeral: {
          volumeClaimTemplate: {
            metadata: claimMetadata,
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      },
    ],
  },
});

/** Requests that no client library sends, but a user of curl might. */
export const oddRequests: readonly Story[] = [
  story("patches that leave no object of the kind", [
    post(maps, { metadata: { name: "a" }, data: { k: "v" } }),
    merge(`${maps}/a`, { kind: "Nope" }),
    merge(`${maps}/a`, { apiVersion: "v2" }),
    merge(`${maps}/a`, { apiVersion: "apps/v1", kind: "Nope" }),
    merge(`${maps}/a`, { metadata: null }),
    merge(`${maps}/a`, { metadata: { name: null } }),
    jsonPatch(`${maps}/a`, [{ op: "remove", path: "/metadata" }]),
    get(`${maps}/a`),
  ]),
  story(
    "patches that leave no custom resource of the kind",
    [
      post(things, { apiVersion: "{group}/v1", kind: "Thing", metadata: { name: "t" }, spec: { a: 1 } }),
      merge(`${things}/t`, { kind: "Other" }),
      merge(`${things}/t`, { metadata: null }),
      get(`${things}/t`),
    ],
    [definition],
  ),
  story("writes that name nothing", [
    apply(`${maps}/new?fieldManager=m`, { apiVersion: "v1", kind: "ConfigMap" }),
    apply(`${maps}/new?fieldManager=m`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } }),
    apply(`${maps}/new?fieldManager=m`, { apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } }),
    put(`${maps}/new`, { data: { k: "w" } }),
    post("/apis/apps/v1/namespaces/{ns}/deployments", deployment),
    put(scale, { spec: { replicas: 5 } }),
    put(scale, { metadata: { name: "d", namespace: "elsewhere" }, spec: { replicas: 5 } }),
    put(scale, { metadata: { name: "d", namespace: "{ns}" }, spec: { replicas: 5 } }),
  ]),
  story("names and numbers that are none", [
    get(`${maps}/a%25b`),
    remove(`${maps}/a%25b`),
    get(`${maps}?limit=`),
    get(`${maps}?timeoutSeconds=`),
    get(`${maps}?limit=1.5`),
  ]),
  story("merges of YAML, and numbers beyond Go's", [
    ...[
      "<<: *l\n  c: d",
      "<<: *l\n  a: d",
      "a: d\n  <<: *l",
      "<<: [*l, {a: d, e: f}]",
      "<<: {a: d}\n  g: h",
    ].flatMap((data, index) => {
      const text = `metadata:\n  name: m${index}\n  labels: &l\n    a: b\ndata:\n  ${data}\n`;
      const applied = `apiVersion: v1\nkind: ConfigMap\n${text}`;
      return [
        post(maps, text, { type: "application/yaml" }),
        post(`${maps}?fieldValidation=Strict&dryRun=All`, text, { type: "application/yaml" }),
        apply(`${maps}/m${index}?fieldManager=m&force=true`, applied),
      ];
    }),
    post(maps, "metadata:\n  name: a\n  generation: 9223372036854775808\n", { type: "application/yaml" }),
    post(maps, '{"metadata":{"name":"a","generation":9223372036854775808}}'),
    post(maps, '{"metadata":{"name":"a","generation":1.5}}'),
  ]),
  story("two mistakes in the options of a list", [
    ...[
      "labelSelector=a%3D%3D%3Db&limit=x",
      "fieldSelector=x%3Da&timeoutSeconds=y",
      "limit=x&timeoutSeconds=y",
    ].map((query) => get(`${maps}?${query}`)),
    get(`${maps}?resourceVersionMatch=Odd&labelSelector=a%3D%3D%3Db`),
    post(maps, { metadata: { name: "a" } }),
    post(maps, { metadata: { name: "a", generateName: "b" } }),
  ]),
  story("writes to all namespaces", [
    post("/api/v1/configmaps", { metadata: { name: "a", namespace: "{ns}" } }),
    remove("/api/v1/configmaps?dryRun=All"),
    merge("/api/v1/configmaps", {}),
    post("/apis/apps/v1/deployments", { metadata: { name: "a", namespace: "{ns}" } }),
  ]),
  story(
    "metadata in templates of claims",
    [
      { uid: "x" },
      { name: "a", labels: { "a b": "c" }, annotations: { "x y": "z" } },
      { labels: {} },
    ].flatMap((metadata) => [
      post(`${claimTemplates}?dryRun=All`, claimTemplate(metadata)),
      post("/api/v1/namespaces/{ns}/pods?dryRun=All", claimingPod(metadata)),
    ]),
  ),
  story("a field that no selector knows, beside another mistake", [
    get(`${maps}?fieldSelector=spec.nothing%3Da&resourceVersionMatch=Exact`),
    get(`${maps}?fieldSelector=spec.nothing&resourceVersionMatch=Exact`),
    get(`${maps}?fieldSelector=spec.nothing%3Da&continue=x`),
    get("/apis/batch/v1/namespaces/{ns}/jobs?fieldSelector=spec.nothing%3Da"),
    get("/apis/batch/v1/namespaces/{ns}/jobs?fieldSelector=spec.nothing%3Da&resourceVersionMatch=Exact"),
  ]),
  story("bindings that name no pod", [
    post("/api/v1/namespaces/{ns}/bindings", { target: { kind: "ConfigMap", name: "n" } }),
    post("/api/v1/namespaces/{ns}/bindings", { target: { kind: "Node", name: "n" } }),
    post("/api/v1/namespaces/{ns}/bindings", {
      metadata: { name: "b", ownerReferences: [{}, {}] },
      target: { kind: "Node", name: "n" },
    }),
  ]),
];
