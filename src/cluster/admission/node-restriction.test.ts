import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
let uid: string;
const owner = (fields: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  name: "n1",
  uid,
  controller: true,
  ...fields,
});

beforeAll(async () => {
  cluster = await startTestCluster();
  const token = { serviceAccountToken: { path: "t", audience: "vault", expirationSeconds: 3600 } };
  const volumes = [{ name: "t", projected: { sources: [token] } }];
  await cluster.install(
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } },
    { apiVersion: "v1", kind: "Node", metadata: { name: "n2", labels: { mine: "no" } } },
    pod("own", { nodeName: "n1", serviceAccountName: "robot", volumes }),
    pod("foreign", { nodeName: "n2", serviceAccountName: "robot" }),
  );
});
afterAll(() => cluster.stop());

function pod(name: string, spec: object, metadata: object = {}) {
  const containers = [{ name: "c", image: "i" }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name, ...metadata },
    spec: { containers, ...spec },
  };
}

async function asKubelet(method: string, path: string, body: object = {}, contentType?: string) {
  const kubelet = cluster.addUser("system:node:n1", ["system:nodes"]);
  const headers = contentType ? { "content-type": contentType } : {};
  const response = await send(kubelet, { method, path, body, headers });
  const { message } = response.body as { message?: string };
  return { code: response.code, why: message?.replace(/^.*? is forbidden: /su, ""), body: response.body };
}

const patch = (path: string, body: object) =>
  asKubelet("PATCH", path, body, "application/merge-patch+json").then(({ code, why }) => why ?? code);
const pods = "/api/v1/namespaces/default/pods";

test("a kubelet registers its own node, with labels that are its own to set", async () => {
  const node = (name: string, labels: object = {}) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
  });
  const create = (object: object) => asKubelet("POST", "/api/v1/nodes", object);
  expect(await create(node("n3"))).toMatchObject({
    code: 403,
    why: 'node "n1" is not allowed to modify node "n3"',
  });
  const steering = { "node-restriction.kubernetes.io/a": "b", "node-role.kubernetes.io/control-plane": "" };
  expect(await create(node("n1", steering))).toMatchObject({
    code: 403,
    why: 'node "n1" is not allowed to set the following labels: node-restriction.kubernetes.io/a, node-role.kubernetes.io/control-plane',
  });
  const labels = { "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": "big", mine: "yes" };
  const { code, body } = await create(node("n1", labels));
  expect(code).toBe(201);
  uid = (body as { metadata: { uid: string } }).metadata.uid;

  expect(await patch("/api/v1/nodes/n2", { metadata: { labels: { mine: "yes" } } })).toBe(
    'node "n1" is not allowed to modify node "n2"',
  );
  expect(await patch("/api/v1/nodes/n1", { spec: { taints: [] } })).toBe(
    'node "n1" is not allowed to modify taints',
  );
  expect(await patch("/api/v1/nodes/n1", { metadata: { labels: { "k8s.io/x": "y" } } })).toBe(
    "is not allowed to modify labels: k8s.io/x",
  );
  expect(await patch("/api/v1/nodes/n1", { metadata: { ownerReferences: [owner()] } })).toBe(
    'node "n1" is not allowed to modify ownerReferences',
  );
  expect(await patch("/api/v1/nodes/n1/status", { status: { capacity: { cpu: "2" } } })).toBe(200);
});

test("a kubelet writes the status of its own pods, and nothing else of them", async () => {
  expect(await patch(`${pods}/own/status`, { status: { phase: "Running" } })).toBe(200);
  expect(await patch(`${pods}/own/status`, { metadata: { labels: { a: "b" } } })).toBe(
    'node "n1" cannot update labels through pod status',
  );
  const own = "pods with spec.nodeName set to itself";
  expect(await patch(`${pods}/foreign/status`, { status: { phase: "Failed" } })).toBe(
    `node "n1" can only update pod status for ${own}`,
  );
  expect(await asKubelet("DELETE", `${pods}/foreign`)).toMatchObject({
    why: `node "n1" can only delete ${own}`,
  });
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "foreign" } };
  expect(await asKubelet("POST", `${pods}/foreign/eviction`, eviction)).toMatchObject({
    why: `node n1 can only evict ${own}`,
  });
});

test("a kubelet creates mirror pods of its own node that need nothing", async () => {
  const annotations = { "kubernetes.io/config.mirror": "x" };
  const create = async (spec: object, metadata: object) => {
    const { code, why } = await asKubelet("POST", pods, pod("static", spec, metadata));
    return code === 201 ? code : why;
  };
  const nodeName = "n1";
  expect(await create({ nodeName }, {})).toContain(
    'pod does not have "kubernetes.io/config.mirror" annotation',
  );
  expect(await create({ nodeName: "n2" }, { annotations })).toContain("with spec.nodeName set to itself");
  const only = 'node "n1" can only create pods with';
  expect(await create({ nodeName }, { annotations })).toBe(`${only} an owner reference set to itself`);
  const refused: [object, string][] = [
    [owner({ controller: false }), `${only} a controller owner reference set to itself`],
    [owner({ blockOwnerDeletion: true }), 'node "n1" must not set blockOwnerDeletion on an owner reference'],
    [owner({ uid: "x" }), `node n1 UID mismatch: expected x got ${uid}`],
  ];
  for (const [reference, why] of refused)
    expect(await create({ nodeName }, { annotations, ownerReferences: [reference] })).toBe(why);
  const ownerReferences = [owner()];
  const claims = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
  expect(await create({ nodeName, volumes: claims }, { annotations, ownerReferences })).toBe(
    'node "n1" can not create pods that reference persistentvolumeclaims',
  );
  expect(await create({ nodeName }, { annotations, ownerReferences })).toBe(201);
});

test("a kubelet gets tokens that are bound to its own pods, for audiences that these name", async () => {
  const uidOf = (name: string) =>
    cluster.core.store.collection("pods").get(`default/${name}`)!.object.metadata.uid!;
  const request = async (boundObjectRef: object | undefined, ...audiences: string[]) => {
    const path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
    const { code, why } = await asKubelet("POST", path, { spec: { audiences, boundObjectRef } });
    return code === 201 ? code : why;
  };
  const bound = (name: string, fields: object = {}) => ({
    apiVersion: "v1",
    kind: "Pod",
    name,
    uid: uidOf(name),
    ...fields,
  });
  expect(await request(undefined)).toBe("node requested token not bound to a pod");
  expect(await request(bound("own", { uid: "" }), "vault")).toBe(
    "node requested token with a pod binding without a uid",
  );
  expect(await request(bound("own", { uid: "x" }), "vault")).toContain(
    "(x) does not match the UID in record",
  );
  expect(await request(bound("foreign"))).toBe(
    "node requested token bound to a pod scheduled on a different node",
  );
  expect(await request(bound("own"), "vault")).toBe(201);
  const refused =
    'audience "other" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience';
  expect(await request(bound("own"), "other")).toBe(refused);
  await cluster.install(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: audience}
rules: [{apiGroups: [""], resources: [other], verbs: [request-serviceaccounts-token-audience]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: audience}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: audience}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "system:nodes"}]
`);
  expect(await request(bound("own"), "other")).toBe(201);
});

test("a kubelet leases itself", async () => {
  const create = (namespace: string, name: string) =>
    asKubelet("POST", `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name },
    });
  expect(await create("kube-node-lease", "n2")).toMatchObject({
    why: "can only access node lease with the same name as the requesting node",
  });
  expect(await create("kube-node-lease", "n1")).toMatchObject({ code: 201 });
});
