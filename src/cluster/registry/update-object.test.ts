import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const path = "/api/v1/namespaces/default/configmaps";

interface Answer {
  readonly metadata: { readonly deletionTimestamp: string };
}

async function call(method: string, at: string, body?: unknown): Promise<Answer> {
  const answer = await send(cluster.kubeconfig, { method, path: at, ...(body !== undefined && { body }) });
  return answer.body as Answer;
}

test("an update can't change when an object is deleted", async () => {
  await call("POST", path, { metadata: { name: "a", finalizers: ["example.com/a"] } });
  await call("DELETE", `${path}/a`);
  const { metadata } = await call("GET", `${path}/a`);
  const { deletionTimestamp } = metadata;
  const later = { ...metadata, deletionTimestamp: "2100-01-01T00:00:00Z" };
  expect(await call("PUT", `${path}/a`, { metadata: later, data: { b: "c" } })).toMatchObject({
    metadata: { deletionTimestamp },
    data: { b: "c" },
  });
});
