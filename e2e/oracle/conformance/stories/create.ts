import { get, post, type Story, story } from "../story.ts";

const cm = "/api/v1/namespaces/{ns}/configmaps";
const secrets = "/api/v1/namespaces/{ns}/secrets";

export const create: readonly Story[] = [
  story("a ConfigMap", [
    post(cm, { metadata: { name: "a" }, data: { k: "v" } }),
    get(`${cm}/a`),
    post(cm, { metadata: { name: "a" } }),
    post(cm, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", labels: { x: "y" } } }),
    post(cm, {
      metadata: {
        name: "c",
        uid: "123",
        creationTimestamp: "2020-01-01T00:00:00Z",
        generation: 9,
        selfLink: "x",
      },
    }),
    post(cm, { metadata: { name: "d", namespace: "other" } }),
    post(cm, { metadata: { name: "e", resourceVersion: "1" } }),
    post(cm, {
      metadata: { name: "f", deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 },
    }),
    post(cm, { metadata: { name: "g" }, data: null }),
    post(cm, { metadata: { name: "h" }, data: {} }),
    post(cm, { metadata: { name: "i" }, data: { "a b": "c" } }),
    post(cm, { metadata: { name: "j" }, data: { a: "b" }, binaryData: { a: "Yg==" } }),
    post(cm, { metadata: { name: "k" }, binaryData: { a: "not base64!" } }),
    post(cm, { metadata: { name: "l" }, immutable: true, data: { a: "b" } }),
  ]),
  story("names", [
    post(cm, {}),
    post(cm, { metadata: {} }),
    post(cm, { metadata: { name: "UPPER" } }),
    post(cm, { metadata: { name: "a_b" } }),
    post(cm, { metadata: { name: "-a" } }),
    post(cm, { metadata: { name: "a..b" } }),
    post(cm, { metadata: { name: "x".repeat(253) } }),
    post(cm, { metadata: { name: "x".repeat(254) } }),
    post(cm, { metadata: { generateName: "gen-" } }),
    post(cm, { metadata: { generateName: "BAD-" } }),
    post("/api/v1/namespaces/{ns}/services", { metadata: { name: "1a" }, spec: { ports: [{ port: 80 }] } }),
    post("/api/v1/namespaces", { metadata: { name: "a.b" } }),
    post("/api/v1/namespaces/{ns}/pods", {
      metadata: { name: "p_q" },
      spec: { containers: [{ name: "c", image: "i" }] },
    }),
    post("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", { metadata: { name: "a:b/c" } }),
    post("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", {
      metadata: { name: "a:B" },
      rules: [],
    }),
  ]),
  story("metadata", [
    post(cm, { metadata: { name: "a", labels: { "bad key": "v" } } }),
    post(cm, { metadata: { name: "a", labels: { key: "bad value" } } }),
    post(cm, { metadata: { name: "a", labels: { key: "x".repeat(64) } } }),
    post(cm, { metadata: { name: "a", labels: { "a/b/c": "v" } } }),
    post(cm, { metadata: { name: "a", labels: { "/b": "v" } } }),
    post(cm, { metadata: { name: "a", labels: { "A_/b": "v" } } }),
    post(cm, { metadata: { name: "a", annotations: { "bad key": "v" } } }),
    post(cm, { metadata: { name: "a", annotations: { "UPPER/x": "v" } } }),
    post(cm, { metadata: { name: "a", finalizers: ["unqualified"] } }),
    post(cm, { metadata: { name: "a", finalizers: ["orphan", "foregroundDeletion"] } }),
    post(cm, { metadata: { name: "a", ownerReferences: [{ kind: "X" }] } }),
    ...["/", "apps/", "a/b/c"].map((apiVersion) =>
      post(cm, {
        metadata: { name: "a", ownerReferences: [{ apiVersion, kind: "X", name: "x", uid: "u" }] },
      }),
    ),
    post(`${cm}?dryRun=All`, {
      metadata: {
        name: "of-an-event",
        ownerReferences: [{ apiVersion: "events.k8s.io/v1", kind: "Event", name: "e", uid: "u" }],
      },
    }),
    post(cm, {
      metadata: { name: "a", ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "e", uid: "u" }] },
    }),
    post(cm, {
      metadata: {
        name: "a",
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "u1", controller: true },
          { apiVersion: "v1", kind: "Pod", name: "q", uid: "u2", controller: true },
        ],
      },
    }),
    post(cm, {
      metadata: {
        name: "b",
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u1", controller: true }],
      },
    }),
    post(cm, { metadata: { name: "c", labels: null, annotations: {} } }),
    post("/api/v1/namespaces?dryRun=All", { metadata: { name: "x-y", namespace: "y" } }),
  ]),
  story("dry run", [
    post(`${cm}?dryRun=All`, { metadata: { name: "a" }, data: { k: "v" } }),
    get(`${cm}/a`),
    post(`${cm}?dryRun=Some`, { metadata: { name: "a" } }),
    post(`${cm}?dryRun=All`, { metadata: { generateName: "gen-" } }),
    post(`${cm}?dryRun=All`, { metadata: { name: "UPPER" } }),
  ]),
  story("field manager", [
    post(`${cm}?fieldManager=me`, { metadata: { name: "a", labels: { a: "b" } }, data: { k: "v" } }),
    post(`${cm}?fieldManager=${"x".repeat(129)}`, { metadata: { name: "b" } }),
  ]),
  story("field validation", [
    post(`${cm}?fieldValidation=Strict`, { metadata: { name: "a" }, dta: {} }),
    post(`${cm}?fieldValidation=Strict`, '{"metadata":{"name":"a"},"data":{"a":"1","a":"2"}}'),
    post(
      `${cm}?fieldValidation=Strict`,
      '{"metadata":{"name":"a"},"dta":1,"data":{"a":"1"},"data":{"b":"1"}}',
    ),
    post(`${cm}?fieldValidation=Warn`, { metadata: { name: "a", foo: 1 }, dta: {} }),
    post(cm, '{"metadata":{"name":"b"},"data":{"a":"1","a":"2"}}'),
    post(`${cm}?fieldValidation=Ignore`, { metadata: { name: "c" }, dta: {} }),
    post(`${cm}?fieldValidation=Other`, { metadata: { name: "d" } }),
  ]),
  story("a Secret", [
    post(secrets, { metadata: { name: "a" }, stringData: { k: "v" }, data: { l: "dw==" } }),
    get(`${secrets}/a`),
    post(secrets, { metadata: { name: "b" }, data: { k: "###" } }),
    post(secrets, { metadata: { name: "c" }, type: "kubernetes.io/tls" }),
    post(secrets, {
      metadata: { name: "c" },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": "", "tls.key": "" },
    }),
    post(secrets, { metadata: { name: "d" }, type: "kubernetes.io/basic-auth" }),
    post(secrets, {
      metadata: { name: "e" },
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": "{" },
    }),
    post(secrets, { metadata: { name: "f" }, type: "kubernetes.io/service-account-token" }),
  ]),
  story("a Namespace", [
    post("/api/v1/namespaces?dryRun=All", {
      metadata: { name: "dry", labels: { a: "b" } },
      spec: { finalizers: [] },
    }),
    get("/api/v1/namespaces/{ns}"),
    get("/api/v1/namespaces/default"),
    post("/api/v1/namespaces", { metadata: { name: "default" } }),
    post("/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "a" } }),
    get("/api/v1/namespaces/nowhere/configmaps"),
    get("/api/v1/namespaces/nowhere/configmaps/a"),
  ]),
  story("names that nothing is appended to", [
    ...["10.4.3.2", "10.4.3.", "a"].map((generateName) =>
      post("/apis/networking.k8s.io/v1/ipaddresses?dryRun=All", {
        metadata: { generateName },
        spec: { parentRef: { resource: "services", namespace: "{ns}", name: "a" } },
      }),
    ),
    ...[{}, { name: "a" }].map((metadata) =>
      post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", { metadata, spec: {} }),
    ),
  ]),
  story("a YAML body", [
    post(cm, "metadata:\n  name: a\ndata:\n  k: v\n", { type: "application/yaml" }),
    post(`${cm}?fieldValidation=Strict`, "metadata:\n  name: b\ndata:\n  k: v\n  k: w\n", {
      type: "application/yaml",
    }),
    post(cm, "metadata: [", { type: "application/yaml" }),
    get(`${cm}/a`, "application/yaml"),
  ]),
];
