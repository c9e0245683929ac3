import { apply, get, merge, post, type Story, story, strategic } from "../story.ts";

const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
const classes = "/apis/node.k8s.io/v1/runtimeclasses";
const templates = "/api/v1/namespaces/{ns}/podtemplates";
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";

const runtimeClass = {
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  metadata: { name: "{ns}-a", resourceVersion: null },
  handler: "runc",
};
const appliedClass = apply(`${classes}/{ns}-a?fieldManager=m`, runtimeClass);

/** What random requests found in patches and in the messages about them. */
export const patchMessages: readonly Story[] = [
  story("applying to an object without managers whose items have no names", [
    post(accounts, { metadata: { name: "a" } }),
    merge(`${accounts}/a`, { metadata: { managedFields: [{}] } }),
    merge(`${accounts}/a`, { secrets: [{}, {}] }),
    apply(`${accounts}/a?fieldManager=m`, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "a" },
    }),
    get(`${accounts}/a`),
  ]),
  story("applying the resource version null", [appliedClass, appliedClass]),
  story("an empty preemption policy", [
    post(templates, {
      metadata: { name: "a" },
      template: { spec: { containers: [{ name: "c", image: "i" }], preemptionPolicy: "" } },
    }),
  ]),
  story("labels in the message about a struct", [
    post(budgets, {
      metadata: { name: "a" },
      spec: { minAvailable: 1, maxUnavailable: 1, selector: { matchLabels: { b: "1", a: "2" } } },
    }),
  ]),
  story("nulls in messages about strategic merge patches", [
    post(accounts, { metadata: { name: "a", labels: { x: "y" } } }),
    strategic(`${accounts}/a`, { metadata: { deletionTimestamp: { "": null } } }),
    strategic(`${accounts}/a`, { metadata: { ownerReferences: { a: null, b: { c: null, d: 1 } } } }),
    strategic(`${accounts}/a`, { metadata: { labels: { x: null, z: null, q: 1 } } }),
    strategic(`${accounts}/a`, { secrets: [{ name: 1, fieldPath: null }] }),
    strategic(`${accounts}/a`, { metadata: null, secrets: 1 }),
  ]),
];
