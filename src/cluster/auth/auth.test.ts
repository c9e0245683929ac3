import { once } from "node:events";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Kubeconfig } from "./credentials.ts";
import { send } from "../testing/send.ts";
import { FakeClock, startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
const clock = new FakeClock();
beforeAll(async () => {
  cluster = await startTestCluster({ clock });
  await cluster.install(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get], resourceNames: [open]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: robot, namespace: default}, {kind: Group, name: readers, apiGroup: rbac.authorization.k8s.io}]
`);
});
afterAll(() => cluster.stop());

const get = (kubeconfig: Kubeconfig, path: string, headers: Record<string, string> = {}) =>
  send(kubeconfig, { method: "GET", path, headers });
const configMap = (name: string) => `/api/v1/namespaces/default/configmaps/${name}`;

/** The administrator's kubeconfig with another identity, or none. */
function as(user: { token?: string }): Kubeconfig {
  const kubeconfig = structuredClone(cluster.kubeconfig);
  kubeconfig.users[0].user = user;
  return kubeconfig;
}

async function tokenOf(seconds: number): Promise<string> {
  const path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
  const { body } = await send(cluster.kubeconfig, {
    method: "POST",
    path,
    body: { spec: { expirationSeconds: seconds } },
  });
  return (body as { status: { token: string } }).status.token;
}

test("clients in pods verify the server by the full name of its Service", async () => {
  const ca = Buffer.from(cluster.kubeconfig.clusters[0].cluster["certificate-authority-data"]!, "base64");
  const servername = "kubernetes.default.svc.cluster.local";
  const socket = connect({ port: Number(new URL(cluster.url).port), host: "127.0.0.1", ca, servername });
  await once(socket, "secureConnect");
  expect(socket.authorized).toBe(true);
  socket.destroy();
});

test("the groups of a client certificate have the permissions of their bindings, and no others", async () => {
  const reader = cluster.addUser("ann", ["readers"]);
  expect((await get(reader, configMap("open"))).code).toBe(404);
  expect((await get(reader, configMap("closed"))).body).toMatchObject({
    code: 403,
    message:
      'configmaps "closed" is forbidden: User "ann" cannot get resource "configmaps" in API group "" in the namespace "default"',
  });
});

test("a service account's token is valid until it expires, and identifies the account", async () => {
  const robot = as({ token: await tokenOf(600) });
  expect((await get(robot, configMap("open"))).code).toBe(404);
  const review = await send(cluster.kubeconfig, {
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: { spec: { token: robot.users[0].user.token } },
  });
  expect(review.body).toMatchObject({
    status: {
      authenticated: true,
      user: {
        username: "system:serviceaccount:default:robot",
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      },
    },
  });
  await clock.advance(601_000);
  expect((await get(robot, configMap("open"))).code).toBe(401);
});

test("a token is invalid once its service account is deleted", async () => {
  const robot = as({ token: await tokenOf(600) });
  const path = "/api/v1/namespaces/default/serviceaccounts/robot";
  await send(cluster.kubeconfig, { method: "DELETE", path });
  expect((await get(robot, "/api")).code).toBe(401);
  await cluster.install("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n");
});

test("anonymous users can read only health and version; an invalid token is refused", async () => {
  const anonymous = as({});
  expect((await get(anonymous, "/healthz")).text).toBe("ok");
  expect((await get(anonymous, "/version")).code).toBe(200);
  expect((await get(anonymous, "/api/v1/pods")).body).toMatchObject({
    message:
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
  });
  expect((await get(as({ token: "nonsense" }), "/healthz")).body).toMatchObject({
    code: 401,
    reason: "Unauthorized",
  });
});

test("only users with the impersonate permission can act as another user", async () => {
  const headers = { "Impersonate-User": "system:serviceaccount:default:robot" };
  expect((await get(cluster.kubeconfig, configMap("open"), headers)).code).toBe(404);
  expect((await get(cluster.kubeconfig, configMap("closed"), headers)).code).toBe(403);
  expect((await get(cluster.addUser("bob"), "/api", { "Impersonate-User": "root" })).body).toMatchObject({
    message:
      'users "root" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
  });
});

test("aggregated roles have the rules of the roles that they select", async () => {
  await cluster.install(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: things-viewer, labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}}
rules: [{apiGroups: [example.com], resources: [things], verbs: [get]}]
`);
  const { body } = await get(cluster.kubeconfig, "/apis/rbac.authorization.k8s.io/v1/clusterroles/view");
  expect((body as { rules: object[] }).rules).toContainEqual({
    apiGroups: ["example.com"],
    resources: ["things"],
    verbs: ["get"],
  });
});
