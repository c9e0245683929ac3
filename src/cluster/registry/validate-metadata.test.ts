import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

interface Answer {
  readonly code: number;
  readonly metadata: { readonly ownerReferences: readonly object[] };
  readonly details: { readonly causes: readonly { readonly field: string }[] };
}

async function create(path: string, body: object): Promise<Answer> {
  return (await send(cluster.kubeconfig, { method: "POST", path, body })).body as Answer;
}

async function update(path: string, body: object): Promise<Answer> {
  return (await send(cluster.kubeconfig, { method: "PUT", path, body })).body as Answer;
}

const core = "/api/v1/namespaces/default";

test("only some kinds want finalizers with a domain", async () => {
  const metadata = { name: "a", finalizers: ["x"] };
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  expect((await create(leases, { metadata, spec: {} })).code).toBe(undefined);
  expect((await create(`${core}/configmaps`, { metadata })).details.causes).toMatchObject([
    { field: "metadata.finalizers[0]" },
  ]);
});

test("causes of an update repeat an error for each validation of its kind", async () => {
  const metadata = { name: "b" };
  await create(`${core}/limitranges`, { metadata, spec: { limits: [] } });
  await create(`${core}/configmaps`, { metadata });
  const wrong = { ...metadata, labels: { "a b": "c" } };
  const limits = await update(`${core}/limitranges/b`, { metadata: wrong, spec: { limits: [] } });
  expect(limits.details.causes).toHaveLength(3);
  const map = await update(`${core}/configmaps/b`, { metadata: wrong });
  expect(map.details.causes).toHaveLength(4);
});

test("the prefix of a generated name is validated on updates, too", async () => {
  await create(`${core}/configmaps`, { metadata: { name: "c" } });
  const refused = await update(`${core}/configmaps/c`, { metadata: { name: "c", generateName: "A" } });
  expect(refused.details.causes).toMatchObject([{ field: "metadata.generateName" }]);
});

test("equal owner references are stored once", async () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u" };
  const { metadata } = await create(`${core}/configmaps`, {
    metadata: { name: "d", ownerReferences: [owner, owner] },
  });
  expect(metadata.ownerReferences).toHaveLength(1);
});
