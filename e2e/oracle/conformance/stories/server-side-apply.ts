import { apply, get, merge, post, type Story, story } from "../story.ts";

const cm = "/api/v1/namespaces/{ns}/configmaps";
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const config = (data: object, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...more },
  data,
});
const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
const account = (more: object) => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "a" },
  ...more,
});
const deployment = (replicas: number | undefined, image = "i:1") => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    ...(replicas !== undefined && { replicas }),
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: { containers: [{ name: "c", image, ports: [{ containerPort: 80 }] }] },
    },
  },
});

export const serverSideApply: readonly Story[] = [
  story("create, change, drop", [
    apply(`${cm}/a?fieldManager=m`, config({ x: "1", y: "2" })),
    apply(`${cm}/a?fieldManager=m`, config({ x: "1", y: "2" })),
    apply(`${cm}/a?fieldManager=m`, config({ x: "3" })),
    apply(`${cm}/a?fieldManager=n`, config({ z: "1" }, { labels: { by: "n" } })),
    apply(`${cm}/a?fieldManager=m`, config({})),
    get(`${cm}/a`),
  ]),
  story("conflicts", [
    apply(`${cm}/a?fieldManager=m`, config({ x: "1", y: "1" })),
    apply(`${cm}/a?fieldManager=n`, config({ x: "2" })),
    apply(`${cm}/a?fieldManager=n`, config({ x: "2", y: "2" })),
    apply(`${cm}/a?fieldManager=n`, config({ x: "1" })),
    apply(`${cm}/a?fieldManager=n&force=true`, config({ x: "2" })),
    merge(`${cm}/a?fieldManager=hand`, { data: { y: "9" } }),
    apply(`${cm}/a?fieldManager=m`, config({ y: "1" })),
    apply(`${cm}/a?fieldManager=m&force=true`, config({ y: "1" })),
  ]),
  story("errors", [
    apply(`${cm}/a`, config({})),
    apply(`${cm}/a?fieldManager=m`, { data: {} }),
    apply(`${cm}/a?fieldManager=m`, { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "a" } }),
    apply(`${cm}/a?fieldManager=m`, { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }),
    apply(`${cm}/a?fieldManager=m`, config({}, { name: "b" })),
    apply(
      `${cm}/a?fieldManager=m`,
      config({}, { managedFields: [{ manager: "x", operation: "Apply", apiVersion: "v1" }] }),
    ),
    apply(`${cm}/a?fieldManager=m`, config({}, { resourceVersion: "1" })),
    apply(`${cm}/a?fieldManager=m`, config({}, { uid: "x" })),
    apply(`${cm}/a?fieldManager=m`, "["),
    apply(`${cm}/a?fieldManager=m`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      dta: {},
    }),
    apply(`${cm}/a?fieldManager=m&fieldValidation=Strict`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      dta: {},
    }),
    apply(`${cm}/a?fieldManager=m&dryRun=All`, config({ dry: "run" })),
    apply(
      `${cm}/a?fieldManager=m`,
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  from: yaml\n",
    ),
    apply(cm, config({})),
    merge(`${cm}/a?force=true`, { data: {} }),
  ]),
  story("a Deployment", [
    apply(`${deployments}/d?fieldManager=m`, deployment(2)),
    apply(`${deployments}/d?fieldManager=m`, deployment(undefined, "i:2")),
    merge(`${deployments}/d?fieldManager=scaler`, { spec: { replicas: 5 } }),
    apply(`${deployments}/d?fieldManager=m`, deployment(3, "i:2")),
    merge(`${deployments}/d/status?fieldManager=controller`, { status: { replicas: 1 } }),
    merge(`${deployments}/d/scale?fieldManager=hpa`, { spec: { replicas: 7 } }),
    get(`${deployments}/d`),
  ]),
  story("an account that lists a Secret without a name", [
    post(`${accounts}?fieldManager=m`, account({ secrets: [{ name: "x" }, {}] })),
    merge(`${accounts}/a?fieldManager=n`, { metadata: { labels: { b: "c" } } }),
    apply(`${accounts}/a?fieldManager=p`, account({})),
    merge(`${accounts}/a?fieldManager=n`, { secrets: [{ name: "x" }] }),
    merge(`${accounts}/a?fieldManager=n`, { metadata: { labels: { b: "d" } } }),
    apply(`${accounts}/a?fieldManager=p`, account({})),
    merge(`${accounts}/a?fieldManager=n`, { secrets: [{}] }),
  ]),
  story("a stored object without managers", [
    post(`${cm}?fieldManager=first`, { metadata: { name: "a" }, data: { x: "1" } }),
    merge(`${cm}/a`, { metadata: { managedFields: [] } }),
    apply(`${cm}/a?fieldManager=m`, config({ x: "2" })),
    apply(`${cm}/a?fieldManager=m`, config({ y: "2" })),
  ]),
];
