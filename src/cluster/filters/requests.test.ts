import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { expect, onTestFinished, test } from "vitest";
import type { AnsweredRequest } from "./requests.ts";

test("each request is told with who sent it, how it was answered, and why it failed", async () => {
  const told: AnsweredRequest[] = [];
  const cluster = await startTestCluster({ onRequest: (request) => told.push(request) });
  onTestFinished(() => cluster.stop());
  const config = await loadConfig({ kubeconfig: cluster.addUser("alice"), env: {} });
  const client = createClient(config, { userAgent: "shop/v1" });
  onTestFinished(() => client.close());
  await client.request({ path: "/version" });
  const path = "/api/v1/namespaces/default/configmaps?limit=1";
  await expect(client.request({ path })).rejects.toThrow("forbidden");
  const failure =
    'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"';
  const alice = { user: "alice", userAgent: "shop/v1", traceparent: undefined, method: "GET" };
  expect(told).toEqual([
    { ...alice, path: "/version", code: 200, milliseconds: expect.any(Number), failure: undefined },
    { ...alice, path, code: 403, milliseconds: expect.any(Number), failure },
  ]);
});
