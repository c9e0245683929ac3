import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.install(`
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeName: n1
  serviceAccountName: robot
  imagePullSecrets: [{name: registry}]
  containers:
  - name: web
    image: web:1
    env: [{name: A, valueFrom: {secretKeyRef: {name: password, key: a, optional: true}}}]
    envFrom: [{configMapRef: {name: settings}}]
  volumes:
  - {name: files, projected: {sources: [{secret: {name: files}}, {configMap: {name: more}}]}}
  - {name: data, persistentVolumeClaim: {claimName: data}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere}
spec:
  nodeName: n2
  serviceAccountName: other
  containers: [{name: web, image: "web:1", envFrom: [{secretRef: {name: foreign}}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: mirror, annotations: {kubernetes.io/config.mirror: x}}
spec: {nodeName: n1, containers: [{name: web, image: "web:1", envFrom: [{secretRef: {name: wanted}}]}]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  claimRef: {namespace: default, name: data}
  csi:
    driver: d.example.com
    volumeHandle: h
    nodePublishSecretRef: {namespace: storage, name: publish}
    controllerPublishSecretRef: {namespace: storage, name: controller}
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: attached}
spec: {attacher: d.example.com, nodeName: n1, source: {persistentVolumeName: disk}}
`);
});
afterAll(() => cluster.stop());

const inDefault = (resource: string) => `/api/v1/namespaces/default/${resource}`;
const unrelated = "no relationship found between node 'n1' and this object";

/** Sends a request as the kubelet of n1; returns the reason of a denial. */
async function denialOf(method: string, path: string, name = "system:node:n1", groups = ["system:nodes"]) {
  const { code, body } = await send(cluster.addUser(name, groups), { method, path, body: {} });
  const { message = "" } = body as { message?: string };
  return code === 403
    ? /(?:in the namespace "[^"]*"|at the cluster scope)(?:: )?(.*)$/su.exec(message)![1]
    : "allowed";
}

test.each([
  "secrets/registry",
  "secrets/password",
  "secrets/files",
  "configmaps/settings",
  "configmaps/more",
  "configmaps?fieldSelector=metadata.name%3Dmore",
  "persistentvolumeclaims/data",
  "persistentvolumeclaims/web-scratch",
  "serviceaccounts/robot",
  "pods/web",
  "pods?fieldSelector=spec.nodeName%3Dn1",
])("a kubelet reads %s, which its pod needs", async (path) => {
  expect(await denialOf("GET", inDefault(path))).toBe("allowed");
});

test.each([
  "/api/v1/namespaces/storage/secrets/publish",
  "/api/v1/persistentvolumes/disk",
  "/apis/storage.k8s.io/v1/volumeattachments/attached",
  "/apis/storage.k8s.io/v1/csidrivers",
  "/api/v1/nodes/n1",
  "/api/v1/nodes?fieldSelector=metadata.name%3Dn1",
  "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1",
  "/api/v1/services",
  "/apis/node.k8s.io/v1/runtimeclasses",
  "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1",
])("a kubelet reads %s", async (path) => {
  expect(await denialOf("GET", path)).toBe("allowed");
});

test.each([
  [inDefault("secrets/foreign"), unrelated],
  [inDefault("secrets/wanted"), unrelated],
  [inDefault("secrets"), "No Object name found"],
  [inDefault("pods/elsewhere"), unrelated],
  [inDefault("serviceaccounts/other"), unrelated],
  ["/api/v1/namespaces/other/secrets/registry", unrelated],
  ["/api/v1/namespaces/storage/secrets/controller", unrelated],
  ["/api/v1/namespaces/default/secrets/publish", unrelated],
  ["/api/v1/secrets", "can only read namespaced object of this type"],
  ["/api/v1/pods", "can only list/watch pods with spec.nodeName field selector"],
  [
    "/api/v1/pods?fieldSelector=spec.nodeName!%3Dn1",
    "can only list/watch pods with spec.nodeName field selector",
  ],
  ["/api/v1/persistentvolumes", "can only get individual resources of this type"],
  ["/api/v1/nodes", "node 'n1' cannot read all nodes, only its own Node object"],
  ["/api/v1/nodes/n2", "node 'n1' cannot read 'n2', only its own Node object"],
  [
    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2",
    "can only access node lease with the same name as the requesting node",
  ],
  [
    "/apis/coordination.k8s.io/v1/namespaces/default/leases/n1",
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  ["/apis/apps/v1/deployments", ""],
])("a kubelet may not read %s", async (path, reason) => {
  expect(await denialOf("GET", path)).toBe(reason);
});

test("a kubelet writes no Secrets, and gets tokens for the accounts of its pods alone", async () => {
  expect(await denialOf("DELETE", inDefault("secrets/registry"))).toBe(
    "can only read resources of this type",
  );
  expect(await denialOf("POST", inDefault("serviceaccounts/other/token"))).toBe(unrelated);
  expect(await denialOf("POST", inDefault("serviceaccounts"))).toBe(
    "can only create tokens for individual service accounts",
  );
});

test("users are kubelets by their name and their group", async () => {
  const path = inDefault("secrets/registry");
  expect(await denialOf("GET", path, "system:node:n1", [])).toBe("");
  expect(await denialOf("GET", path, "n1")).toBe("");
  expect(await denialOf("GET", path, "system:node:")).toBe('unknown node for user "system:node:"');
});

test("a pod that has gone takes the access with it", async () => {
  const path = inDefault("secrets/foreign");
  const n2 = "system:node:n2";
  expect(await denialOf("GET", path, n2)).toBe("allowed");
  const del = { method: "DELETE", path: inDefault("pods/elsewhere?gracePeriodSeconds=0") };
  await send(cluster.kubeconfig, del);
  expect(await denialOf("GET", path, n2)).toBe("no relationship found between node 'n2' and this object");
});
