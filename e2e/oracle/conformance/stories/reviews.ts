import { get, post, type Step, type Story, story } from "../story.ts";

const group = "/apis/authorization.k8s.io/v1";
const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
const asked = { verb: "get", resource: "pods" };

const ofSelf = (more: object): Step =>
  post(`${group}/selfsubjectaccessreviews`, { spec: { resourceAttributes: asked }, ...more });
const ofSubject = (more: object): Step =>
  post(`${group}/subjectaccessreviews`, { spec: { user: "jane", resourceAttributes: asked }, ...more });
const local = (spec: object, more: object = {}): Step =>
  post(`${group}/namespaces/{ns}/localsubjectaccessreviews`, { spec: { user: "jane", ...spec }, ...more });
const here = { resourceAttributes: { ...asked, namespace: "{ns}" } };

const metadata: readonly object[] = [
  { name: "x" },
  { labels: { b: "1", a: '"<' }, annotations: { a: "b" }, generation: 3 },
  { resourceVersion: "1" },
  { uid: "x", creationTimestamp: "2026-01-01T00:00:00Z", annotations: {} },
  { ownerReferences: [{ uid: "x", name: "a", kind: "Pod", apiVersion: "v1", controller: true }] },
  { managedFields: [{ manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" }] },
];

export const reviews: readonly Story[] = [
  story(
    "reviews of access with metadata",
    metadata.flatMap((each) => [
      ofSelf({ metadata: each }),
      ofSubject({ metadata: each }),
      local(here, { metadata: each }),
    ]),
  ),
  story("requests for tokens that are refused", [
    post(accounts, { metadata: { name: "a" } }),
    post("/api/v1/namespaces/{ns}/configmaps", { metadata: { name: "c" } }),
    post("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "s" } }),
    post("/api/v1/namespaces/{ns}/pods", {
      metadata: { name: "p" },
      spec: { serviceAccountName: "other", containers: [{ name: "c", image: "i" }] },
    }),
    post(`${accounts}/a/token`, { metadata: { name: "b" }, spec: {} }),
    post(`${accounts}/none/token`, { metadata: { name: "b" }, spec: {} }),
    post(`${accounts}/a/token`, { metadata: { namespace: "other" }, spec: {} }),
    ...[
      { kind: "ConfigMap", apiVersion: "v1", name: "c" },
      { kind: "Pod", apiVersion: "apps/v1", name: "p" },
      { kind: "Pod", apiVersion: "v1", name: "none" },
      { kind: "Pod", apiVersion: "v1", name: "p" },
      { kind: "Secret", apiVersion: "v1", name: "none" },
      { kind: "Secret", apiVersion: "v1", name: "s", uid: "x" },
      { kind: "Node", apiVersion: "v1", name: "none" },
      { kind: "Pod", apiVersion: "v1" },
      {},
    ].map((boundObjectRef) => post(`${accounts}/a/token`, { spec: { boundObjectRef } })),
  ]),
  story(
    "evictions that name another pod",
    [{ name: "b" }, { name: "a" }, {}].map((each) =>
      post("/api/v1/namespaces/{ns}/pods/a/eviction", { metadata: each }),
    ),
  ),
  story("continuing from a revision", [
    get("/api/v1/namespaces/{ns}/secrets?continue=abc&resourceVersion=1"),
    get("/api/v1/namespaces/{ns}/secrets?continue=abc&resourceVersion=0"),
  ]),
  story("reviews of access with selectors", [
    ...[
      { requirements: [{ key: "a b", values: ["x"] }] },
      { requirements: [{ key: "a", operator: "In", values: ["x"] }] },
      { requirements: [{ key: "a", operator: "NotIn", values: ["x", "y"] }] },
      { requirements: [{ key: "a", operator: "Exists" }] },
      {
        requirements: [
          { key: "a", operator: "In", values: ["x"] },
          { key: "b", operator: "Exists" },
        ],
      },
      { rawSelector: "a=b,x" },
      { rawSelector: "a!=b" },
    ].map((fieldSelector) => ofSelf({ spec: { resourceAttributes: { ...asked, fieldSelector } } })),
    ...[
      { requirements: [{ key: "a", operator: "Nope", values: ["x"] }] },
      { requirements: [{ key: "a", operator: "Exists" }] },
      { rawSelector: "a in (" },
      { rawSelector: "a notin (b),!c" },
    ].map((labelSelector) => ofSelf({ spec: { resourceAttributes: { ...asked, labelSelector } } })),
    ofSubject({
      spec: {
        user: "u",
        resourceAttributes: {
          ...asked,
          fieldSelector: { rawSelector: "a" },
          labelSelector: { rawSelector: "(" },
        },
      },
    }),
  ]),
  story("reviews of access in a namespace", [
    local(here),
    local({ resourceAttributes: { ...asked, namespace: "other" } }),
    local({ resourceAttributes: asked }),
    local({ nonResourceAttributes: { path: "/healthz", verb: "get" } }),
    local({ ...here, nonResourceAttributes: { path: "/healthz" } }),
    local({}),
    local({ ...here, user: "" }, { metadata: { name: "x" } }),
    local(here, { metadata: { namespace: "{ns}" } }),
    local(here, { metadata: { namespace: "other" } }),
    local({ resourceAttributes: { ...asked, namespace: "other" } }, { metadata: { namespace: "other" } }),
  ]),
];
