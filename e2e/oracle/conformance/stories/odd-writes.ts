import {
  apply,
  jsonPatch,
  merge,
  post,
  put,
  remove,
  type Step,
  type Story,
  story,
  strategic,
} from "../story.ts";
import { definition } from "./custom-resources.ts";

const namespaced = "/api/v1/namespaces/{ns}";
const maps = `${namespaced}/configmaps`;
const pods = `${namespaced}/pods`;
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const things = "/apis/{group}/v1/namespaces/{ns}/things";

const map = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", labels: { a: "b" } },
  data: { k: "v" },
};
const pod = {
  metadata: { name: "a", finalizers: ["a.b/c", "a.b/d"] },
  spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] },
};

const withPods = definition(
  {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          a: { type: "string" },
          pods: {
            type: "array",
            items: {
              type: "object",
              "x-kubernetes-embedded-resource": true,
              "x-kubernetes-preserve-unknown-fields": true,
            },
          },
          pod: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
      },
    },
  },
  { subresources: { status: {} } },
);
const thing = { apiVersion: "{group}/v1", kind: "Thing", metadata: { name: "a" }, spec: { a: "b" } };

const owner = { apiVersion: "v1", kind: "A", name: "a", uid: "u" };
const embedded = (metadata: object): object => ({
  ...thing,
  spec: {
    pod: { apiVersion: "v1", kind: "Pod", metadata: { name: "b", ...metadata }, spec: { x: [{ a: 1 }] } },
  },
});

const request = (method: string, path: string, body?: unknown): Step => ({
  method,
  path,
  ...(body !== undefined && { body }),
});

const manager = "?fieldManager=m&dryRun=All";
const options = { apiVersion: "v1", kind: "DeleteOptions" };

/** Writes that clients send seldom or by mistake. `npm run lab -- differential` found them. */
export const oddWrites: readonly Story[] = [
  story("directives of strategic merge patches", [
    post(pods, pod),
    strategic(`${pods}/a`, { spec: { "$setElementOrder/spam": ["a"] } }),
    strategic(`${pods}/a`, { "$setElementOrder/finalizers": ["a"] }),
    strategic(`${pods}/a`, { metadata: { labels: { a: "b", $retainKeys: ["a"] } } }),
    strategic(`${pods}/a`, { metadata: { labels: { a: "b", $patch: null } } }),
    strategic(`${pods}/a`, { metadata: { annotations: { a: "b", $patch: "replace" } } }),
    strategic(`${pods}/a`, { metadata: { $retainKeys: "name" } }),
    strategic(`${pods}/a`, { metadata: { $retainKeys: ["name"], labels: { a: "b" } } }),
    strategic(`${pods}/a`, { metadata: { $patch: null } }),
    strategic(`${pods}/a`, { metadata: { $patch: 5 } }),
    strategic(`${pods}/a`, { metadata: { "$setElementOrder/finalizers": "a" } }),
    strategic(`${pods}/a`, { metadata: { "$setElementOrder/finalizers": ["a.b/d", "a.b/c"] } }),
    strategic(`${pods}/a`, { metadata: { "$setElementOrder/finalizers": ["a"], finalizers: ["b"] } }),
    strategic(`${pods}/a`, { metadata: { "$deleteFromPrimitiveList/finalizers": "a" } }),
    strategic(`${pods}/a`, { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.b/c", "a.b/d"] } }),
    strategic(`${pods}/a`, {
      spec: { containers: [{ name: "c", ports: [{ containerPort: 80, $retainKeys: ["containerPort"] }] }] },
    }),
    strategic(`${pods}/a`, { spec: { containers: [{ $patch: "delete" }] } }),
    strategic(`${pods}/a`, { spec: { "$setElementOrder/containers": [{ port: 80 }], containers: [] } }),
    strategic(`${pods}/a`, {
      metadata: { name: "b", ownerReferences: [{ $retainKeys: "name", name: "a" }] },
    }),
    post(budgets, { metadata: { name: "a" }, spec: { selector: { matchLabels: { a: "b" } } } }),
    strategic(`${budgets}/a`, { spec: { selector: { matchLabels: { "$setElementOrder/a": ["b"] } } } }),
    strategic(`${budgets}/a`, { spec: { selector: { $patch: "replace" } } }),
  ]),
  story("the type and the whole of a patched object", [
    post(maps, map),
    strategic(`${maps}/a`, { kind: "Nope" }),
    strategic(`${maps}/a`, { apiVersion: "v2" }),
    strategic(`${maps}/a`, { apiVersion: null, kind: null }),
    strategic(`${maps}/a`, { kind: 5 }),
    strategic(`${maps}/a?fieldValidation=Strict`, { $patch: "replace", metadata: { name: "a" }, x: 1 }),
    strategic(`${maps}/a`, { $patch: "replace", metadata: {}, x: 1 }),
    strategic(`${maps}/a`, { $patch: "delete" }),
    strategic(`${maps}/a`, { $patch: "replace", metadata: { name: "a" }, data: { c: "d" } }),
    jsonPatch(`${maps}/a`, [{ op: "copy", from: "", path: "/data/-" }]),
    jsonPatch(`${maps}/a`, [{ op: "copy", from: "x", path: "/data/x" }]),
    jsonPatch(`${maps}/a`, [{ op: "move", from: "", path: "/data/x" }]),
    jsonPatch(`${maps}/a`, [{ op: "add", path: "", value: map }]),
    jsonPatch(`${maps}/a`, [{ op: "replace", path: "", value: map }]),
    jsonPatch(`${maps}/a`, [{ op: "test", path: "", value: map }]),
  ]),
  story("options of a deletion in its body and its query", [
    post(maps, map),
    remove(`${maps}/a?dryRun=`),
    remove(`${maps}/a?dryRun=x`),
    remove(`${maps}/a?dryRun=x`, { gracePeriodSeconds: "1" }),
    remove(`${maps}/b`, { gracePeriodSeconds: "1" }),
    remove(`${maps}/a`, { orphanDependents: "x" }),
    remove(`${maps}/a`, { ...options, preconditions: { uid: 5 } }),
    remove(`${maps}/a`, { ...options, dryRun: "All" }),
    remove(`${maps}/a?gracePeriodSeconds=x&propagationPolicy=x&dryRun=x`, { ...options, dryRun: ["All"] }),
    remove(`${maps}/a?dryRun=All`, { ...options, unknown: 1 }),
    remove(`${maps}/a`),
    post(`${maps}?dryRun=`, map),
  ]),
  story("what stands behind the object of a YAML body", [
    apply(`${maps}/a${manager}`, `${JSON.stringify(map)}x`),
    apply(`${maps}/a${manager}`, `${JSON.stringify(map)} ${JSON.stringify(map)}`),
    apply(`${maps}/a${manager}`, `${JSON.stringify(map)}\n---\n{"a": 1}`),
    apply(`${maps}/a${manager}`, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n{"a": 1}'),
    apply(`${maps}/a${manager}`, '{"'),
    apply(`${maps}/a${manager}`, '{"apiVersion"'),
    apply(`${maps}/a${manager}`, '{"apiVersion":'),
    apply(`${maps}/a${manager}`, '{"apiVersion":"v1","metadata":{"finalizers":["a"'),
    apply(`${maps}/a${manager}`, "a: b: c"),
    post(`${maps}?dryRun=All`, `${JSON.stringify(map)}x`, { type: "application/yaml" }),
  ]),
  story("the name and namespace of what is written", [
    post(maps, map),
    apply(`${maps}/a${manager}`, { ...map, metadata: { name: "b", labels: "" } }),
    apply(`${maps}/a${manager}`, { ...map, metadata: { name: "b" }, data: { k: "w" } }),
    apply(`${maps}/a${manager}&force=true`, { ...map, metadata: { name: "b" }, data: { k: "w" } }),
    apply(`${maps}/a${manager}&force=true`, { ...map, metadata: { name: "b", namespace: "x" } }),
    apply(`${maps}/c${manager}`, { ...map, metadata: { name: "d", uid: "u" } }),
    apply(`${maps}/c${manager}`, { ...map, metadata: { name: "d" } }),
    apply(`${maps}/c${manager}`, { ...map, metadata: {} }),
    merge(`${maps}/a`, { metadata: { name: "b", namespace: "x" } }),
    jsonPatch(`${maps}/a`, [{ op: "remove", path: "/metadata/name" }]),
    merge("/api/v1/namespaces/{ns}?dryRun=All", { metadata: { namespace: "other" } }),
  ]),
  story(
    "custom objects of another kind, and paths that are not served",
    [
      post(things, thing),
      post(things, { ...thing, kind: "Other" }),
      post(things, { ...thing, kind: "Other", metadata: { name: "a", namespace: "other" } }),
      put(`${things}/a`, { ...thing, kind: "Other" }),
      put(`${things}/b`, { ...thing, kind: "Other", metadata: { name: "b" } }),
      put(`${things}/a`, { ...thing, kind: "Other", metadata: { name: "b" } }),
      put(`${things}/a`, { ...thing, kind: "Other", metadata: { name: "a", uid: "other" } }),
      put(`${things}/a`, {
        ...thing,
        kind: "Other",
        metadata: { name: "a", resourceVersion: "{1.metadata.resourceVersion}" },
      }),
      post(things, { ...thing, apiVersion: "other/v1", unknown: 1 }),
      post(things, { ...thing, apiVersion: "{group}/v9", unknown: 1 }),
      post(things, { ...thing, kind: "Other", unknown: 1 }),
      ...["{group}/v1", "{group}/v9", "other/v1"].flatMap((apiVersion) =>
        ["Thing", "Other"].flatMap((kind) =>
          ["Strict", "Warn", "Ignore"].map((validation) =>
            post(`${things}?dryRun=All&fieldValidation=${validation}`, {
              apiVersion,
              kind,
              metadata: { name: "c", x: 1 },
              spec: { x: 2 },
              x: 3,
            }),
          ),
        ),
      ),
      post(`${things}?fieldValidation=Strict`, '{"apiVersion":"other/v1","kind":"Thing","kind":"Thing"}'),
      merge(`${things}/a`, { apiVersion: "other/v1" }),
      merge(`${things}/a`, { apiVersion: "{group}/v9" }),
      post(`${things}/b`, { ...thing, metadata: { name: "c" } }),
      post(`${things}/a/status`, thing),
      request("PUT", things, thing),
      request("PATCH", things, thing),
      merge(things, {}),
      remove(`${things}/a/status`),
      remove(`${things}/a/scale`),
      request("GET", `${things}/a/none`),
      request("GET", `${things}/a/b/c`),
      request("PUT", `${things}/a/none`, thing),
      request("OPTIONS", `${things}/a`),
      request("OPTIONS", things),
    ],
    [withPods],
  ),
  story(
    "managers of an embedded resource",
    [
      post(things, embedded({ finalizers: ["a.b/c", "d"], labels: { a: "b" }, ownerReferences: [owner] })),
      apply(`${things}/a?fieldManager=m&force=true`, embedded({ finalizers: ["e"] })),
      apply(
        `${things}/a?fieldManager=m&force=true`,
        embedded({ ownerReferences: [{ ...owner, uid: "v" }], generateName: "x" }),
      ),
      put(`${things}/a`, {
        ...embedded({}),
        metadata: { name: "a", resourceVersion: "{3.metadata.resourceVersion}" },
      }),
      post(things, {
        ...thing,
        metadata: { name: "b" },
        spec: { pods: [{ apiVersion: "v1", kind: "Pod", metadata: { finalizers: ["a.b/c"] } }] },
      }),
    ],
    [withPods],
  ),
];
