import { afterAll, beforeAll, expect, test } from "vitest";
import { createCRD } from "../../../e2e/support/cluster/create-crd.ts";
import type { Kubeconfig } from "../auth/credentials.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
let alice: Kubeconfig;
beforeAll(async () => {
  cluster = await startTestCluster({
    crds: [createCRD({ plural: "widgets", kind: "Widget" }, {})],
  });
  await cluster.install(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: changer}
rules:
- {apiGroups: ["", example.com, coordination.k8s.io], resources: [configmaps, widgets, leases], verbs: [get, patch, update]}
- {apiGroups: ["", example.com, coordination.k8s.io], resources: [configmaps, widgets, leases], verbs: [create], resourceNames: [allowed, put]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: changer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: changer}
subjects: [{kind: User, name: alice, apiGroup: rbac.authorization.k8s.io}]
`);
  alice = cluster.addUser("alice");
});
afterAll(() => cluster.stop());

const kinds = [
  { apiVersion: "v1", kind: "ConfigMap", root: "/api/v1", plural: "configmaps", shown: "configmaps" },
  {
    apiVersion: "example.com/v1",
    kind: "Widget",
    root: "/apis/example.com/v1",
    plural: "widgets",
    shown: "widgets.example.com",
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    root: "/apis/coordination.k8s.io/v1",
    plural: "leases",
    shown: "leases.coordination.k8s.io",
  },
];

type Kind = (typeof kinds)[number];

function cannotCreate({ plural, apiVersion }: Kind): string {
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";
  return `User "alice" cannot create resource "${plural}" in API group "${group}" in the namespace "default"`;
}

function apply(user: Kubeconfig, { apiVersion, kind, root, plural }: Kind, name: string, labels = {}) {
  return send(user, {
    method: "PATCH",
    path: `${root}/namespaces/default/${plural}/${name}?fieldManager=alice`,
    headers: { "Content-Type": "application/apply-patch+yaml" },
    body: { apiVersion, kind, metadata: { name, labels } },
  });
}

async function codeOfGet({ root, plural }: Kind, name: string): Promise<number> {
  const path = `${root}/namespaces/default/${plural}/${name}`;
  return (await send(cluster.kubeconfig, { method: "GET", path })).code;
}

test.each(kinds)("an apply that creates a $kind requires the create verb, too", async (kind) => {
  expect((await apply(alice, kind, "missing")).body).toMatchObject({
    code: 403,
    reason: "Forbidden",
    message: `${kind.shown} "missing" is forbidden: ${cannotCreate(kind)}`,
  });
  expect(await codeOfGet(kind, "missing")).toBe(404);

  await apply(cluster.kubeconfig, kind, "missing");
  expect((await apply(alice, kind, "missing", { a: "b" })).code).toBe(200);
  expect((await apply(alice, kind, "allowed")).code).toBe(201);
});

test("a missing patch permission is reported first", async () => {
  const bob = cluster.addUser("bob");
  expect((await apply(bob, kinds[0]!, "bobs")).body).toMatchObject({
    message: `configmaps "bobs" is forbidden: User "bob" cannot patch resource "configmaps" in API group "" in the namespace "default"`,
  });
});

test("a PUT that creates a Lease requires the create verb, too", async () => {
  const lease = kinds[2]!;
  const { apiVersion, kind, root, plural } = lease;
  const put = (name: string) =>
    send(alice, {
      method: "PUT",
      path: `${root}/namespaces/default/${plural}/${name}`,
      body: { apiVersion, kind, metadata: { name } },
    });
  expect((await put("other")).body).toMatchObject({
    code: 403,
    message: `leases.coordination.k8s.io "other" is forbidden: ${cannotCreate(lease)}`,
  });
  expect(await codeOfGet(lease, "other")).toBe(404);
  expect((await put("put")).code).toBe(201);
});
