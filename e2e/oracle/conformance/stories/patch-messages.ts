import { apply, get, merge, post, remove, type Step, type Story, story, strategic } from "../story.ts";

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

const maps = "/api/v1/namespaces/{ns}/configmaps";
const foos = "/apis/{group}/v1/namespaces/{ns}/foos";
const noSchema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const fooDefinition = {
  metadata: { name: "foos.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { plural: "foos", kind: "Foo" },
    versions: [{ name: "v1", served: true, storage: true, schema: noSchema }],
  },
};

/** Bodies that are no patches, or that take the type away, in each form; the object stays as it is. */
function noPatches(path: string): readonly Step[] {
  const object = `${path}/a?fieldManager=m`;
  const forms = ["json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"];
  const bodies = ["x", "null", "[]", "5", "true", '"x"', ""];
  const typeless = [
    '[{"op":"remove","path":"/kind"}]',
    '[{"op":"remove","path":"/apiVersion"}]',
    '[{"op":"replace","path":"/apiVersion","value":"v9"}]',
  ].map((body) => ({ method: "PATCH", path: object, type: `application/${forms[0]!}`, body }));
  return [
    ...forms.flatMap((form) =>
      bodies.map((body) => ({ method: "PATCH", path: object, type: `application/${form}`, body })),
    ),
    ...typeless,
    merge(object, { kind: null }),
    { method: "PATCH", path: object, type: "text/plain", body: "{}" },
  ];
}

/** Differences that random requests found in patches and in the messages about them. */
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
  story("bodies that are no patches of a built-in kind", [
    post(maps, { metadata: { name: "a" }, data: { a: "b" } }),
    ...noPatches(maps),
    get(`${maps}/a`),
    { method: "HEAD", path: `${maps}/a` },
    merge(`${maps}/none`, "x"),
    strategic(`${maps}/none`, "[]"),
    post(maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"long"},"data":{"a"`),
    post(maps, `{"kind":"ConfigMap"} x`),
    post(maps, `[${"1,".repeat(40)}1]`),
    remove(`${maps}/a?dryRun=All`, { apiVersion: "v1", kind: "Pod" }),
  ]),
  story(
    "bodies that are no patches of a custom kind",
    [
      post(foos, { apiVersion: "{group}/v1", kind: "Foo", metadata: { name: "a" } }),
      ...noPatches(foos),
      get(`${foos}/a`),
      { method: "HEAD", path: `${foos}/a` },
    ],
    [fooDefinition],
  ),
];
