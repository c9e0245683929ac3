import { get, merge, post, put, type Story, story } from "../story.ts";

const cm = "/api/v1/namespaces/{ns}/configmaps";
const crb = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles";
const leases = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";

export const updates: readonly Story[] = [
  story("optimistic locking", [
    post(cm, { metadata: { name: "a" }, data: { k: "1" } }),
    put(`${cm}/a`, {
      metadata: { name: "a", resourceVersion: "{1.metadata.resourceVersion}" },
      data: { k: "2" },
    }),
    put(`${cm}/a`, {
      metadata: { name: "a", resourceVersion: "{1.metadata.resourceVersion}" },
      data: { k: "3" },
    }),
    put(`${cm}/a`, { metadata: { name: "a" }, data: { k: "4" } }),
    put(`${cm}/a`, { metadata: { name: "a", resourceVersion: "abc" }, data: { k: "5" } }),
    put(`${cm}/a`, { metadata: { name: "a", uid: "other" }, data: { k: "6" } }),
    put(`${cm}/a`, { metadata: { name: "b" }, data: {} }),
    put(`${cm}/a`, { metadata: { name: "a", namespace: "b" }, data: {} }),
    put(`${cm}/a`, { metadata: {}, data: { k: "7" } }),
    put(`${cm}/missing`, { metadata: { name: "missing" } }),
    put(cm, { metadata: { name: "a" } }),
  ]),
  story("system fields", [
    post(cm, { metadata: { name: "a", labels: { a: "b" } } }),
    put(`${cm}/a`, {
      metadata: {
        name: "a",
        creationTimestamp: "2020-01-01T00:00:00Z",
        generation: 3,
        deletionTimestamp: "2020-01-01T00:00:00Z",
      },
    }),
    put(`${cm}/a`, { metadata: { name: "a", managedFields: [] }, data: { k: "v" } }),
    put(`${cm}/a`, { metadata: { name: "a", managedFields: [{}] }, data: { k: "v" } }),
    merge(`${cm}/a`, { metadata: { creationTimestamp: null, uid: null } }),
    merge(`${cm}/a`, { metadata: { uid: "x" } }),
    merge(`${cm}/a`, { metadata: { name: "b" } }),
    merge(`${cm}/a`, { metadata: { namespace: "b" } }),
    merge(`${cm}/a`, { metadata: { generateName: "zz-" } }),
  ]),
  story("no-op writes", [
    post(cm, { metadata: { name: "a" }, data: { k: "v" } }),
    put(`${cm}/a`, { metadata: { name: "a" }, data: { k: "v" } }),
    merge(`${cm}/a`, { data: { k: "v" } }),
    merge(`${cm}/a`, {}),
    get(`${cm}?resourceVersion={1.metadata.resourceVersion}&resourceVersionMatch=Exact`),
  ]),
  story("create on update", [
    put(`${crb}/r`, {
      metadata: { name: "r" },
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
    }),
    put(`${leases}/l`, { metadata: { name: "l" }, spec: { holderIdentity: "me", leaseDurationSeconds: 15 } }),
    put(`${leases}/l`, {
      metadata: { name: "l" },
      spec: { holderIdentity: "you", leaseDurationSeconds: 15 },
    }),
    put(`${leases}/l`, {
      metadata: { name: "l", resourceVersion: "{2.metadata.resourceVersion}" },
      spec: { holderIdentity: "you", leaseDurationSeconds: 15, renewTime: "2024-01-01T00:00:00.123456Z" },
    }),
    put(`${leases}/l`, {
      metadata: { name: "l", resourceVersion: "{2.metadata.resourceVersion}" },
      spec: { holderIdentity: "late" },
    }),
    put(`${leases}/m`, { metadata: { name: "m", resourceVersion: "5" }, spec: {} }),
    put(`${leases}/n?dryRun=All`, { metadata: { name: "n" }, spec: { leaseDurationSeconds: -1 } }),
  ]),
  story("immutable ConfigMaps and Secrets", [
    post(cm, { metadata: { name: "a" }, immutable: true, data: { k: "v" } }),
    merge(`${cm}/a`, { data: { k: "w" } }),
    merge(`${cm}/a`, { immutable: false }),
    merge(`${cm}/a`, { metadata: { labels: { a: "b" } } }),
    post("/api/v1/namespaces/{ns}/secrets", {
      metadata: { name: "a" },
      immutable: true,
      stringData: { k: "v" },
    }),
    merge("/api/v1/namespaces/{ns}/secrets/a", { stringData: { k: "w" } }),
    post("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "b" } }),
    merge("/api/v1/namespaces/{ns}/secrets/b", { type: "other" }),
  ]),
  story("dry run and validation", [
    post(cm, { metadata: { name: "a" }, data: { k: "v" } }),
    put(`${cm}/a?dryRun=All`, { metadata: { name: "a" }, data: { k: "w" } }),
    get(`${cm}/a`),
    put(`${cm}/a?fieldValidation=Strict`, { metadata: { name: "a" }, dta: { k: "w" } }),
    put(`${cm}/a`, { metadata: { name: "a", labels: { "b c": "d" } } }),
    put(`${cm}/a`, { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "a" } }),
    put(`${cm}/a`, { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }),
  ]),
];
