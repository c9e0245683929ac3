import { startCluster } from "@tsbuilder/cluster";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../../../e2e/support/eventually.ts";
import { send } from "../testing/send.ts";
import type { ClusterWrite } from "./writers.ts";

let stop = async (): Promise<void> => {};
afterEach(() => stop());

test("each write is told with the user of its request, or its controller", async () => {
  const writes: ClusterWrite[] = [];
  const cluster = await startCluster({
    controllers: ["serviceaccount", "namespace"],
    onWrite: (write) => writes.push(write),
  });
  stop = () => cluster.stop();
  const kubeconfig = cluster.addUser("ann", ["system:masters"]);
  await send(kubeconfig, {
    method: "POST",
    path: "/api/v1/namespaces",
    body: { metadata: { name: "shop" } },
  });
  const path = "/api/v1/namespaces/shop/configmaps";
  await send(kubeconfig, { method: "POST", path, body: { metadata: { name: "web" }, data: { a: "1" } } });
  await send(kubeconfig, { method: "DELETE", path: `${path}/web` });
  await eventually(() => expect(writes.map(({ key }) => key)).toContain("shop/default"));

  const told = writes.map(({ type, resource, key, by }) => ({ type, resource, key, user: by?.user }));
  const account = { resource: "serviceaccounts", key: "shop/default", type: "ADDED" };
  expect(told).toEqual(
    expect.arrayContaining([
      { resource: "namespaces", key: "shop", type: "ADDED", user: "ann" },
      { resource: "configmaps", key: "shop/web", type: "ADDED", user: "ann" },
      { resource: "configmaps", key: "shop/web", type: "DELETED", user: "ann" },
      { ...account, user: "system:serviceaccount:kube-system:service-account-controller" },
    ]),
  );
  expect(told).toContainEqual({ type: "KEPT", resource: "namespaces", key: "default", user: undefined });
  const [added] = writes.filter(({ key }) => key === "shop/web");
  expect(JSON.parse(added!.bytes.toString())).toMatchObject({ kind: "ConfigMap", data: { a: "1" } });
});

test("what is restored is told with the user for whom that is done", async () => {
  const writes: ClusterWrite[] = [];
  const cluster = await startCluster({ onWrite: (write) => writes.push(write) });
  stop = () => cluster.stop();
  const before = cluster.snapshot();
  const path = "/api/v1/namespaces/default/configmaps";
  await send(cluster.kubeconfig, { method: "POST", path, body: { metadata: { name: "web" } } });
  cluster.restore(before, "ann");
  expect(writes.at(-1)).toMatchObject({ type: "DELETED", key: "default/web", by: { user: "ann" } });
});
