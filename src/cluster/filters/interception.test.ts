import { FakeClock } from "@tsbuilder/apimachinery/time";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterEach, expect, test } from "vitest";

import { type Cluster, startCluster } from "../start-cluster.ts";
import type { InterceptedRequest, Interception } from "./interception.ts";

let cluster: Cluster;
afterEach(() => cluster.stop());

const clock = new FakeClock();
const key = { namespace: "default", name: "a" };

async function start(found: Interception, seen: InterceptedRequest[] = []) {
  cluster = await startCluster({
    clock,
    intercept: (request) => {
      if (request.user !== "ann" || request.verb === "get") return undefined;
      seen.push(request);
      return found;
    },
  });
  const kubeconfig = cluster.addUser("ann", ["system:masters"]);
  return createClient(await loadConfig({ kubeconfig, env: {} }));
}

test.each([
  [403, "Forbidden", 'configmaps "a" is forbidden: tsbuilder was asked to let it fail'],
  [409, "Conflict", 'Operation cannot be fulfilled on configmaps "a": the object has been modified'],
  [500, "InternalError", "Internal error occurred: tsbuilder was asked to let it fail"],
  [
    503,
    "ServiceUnavailable",
    "the server is currently unable to handle the request: tsbuilder was asked to let it fail",
  ],
] as const)(
  "a request fails with %i, as a real server says it, and stores nothing",
  async (code, reason, message) => {
    const seen: InterceptedRequest[] = [];
    const client = await start({ code }, seen);
    const patch = { merge: { data: { a: "1" } } };
    await expect(client.patch(ConfigMap, key, patch)).rejects.toMatchObject({
      status: code,
      reason,
      body: { message: expect.stringContaining(message) },
    });
    expect(seen).toEqual([{ user: "ann", verb: "patch", resource: "configmaps" }]);
  },
);

test("a request waits for its answer", async () => {
  const seen: InterceptedRequest[] = [];
  const client = await start({ delay: 1000 }, seen);
  let isDone = false;
  const created = client
    .create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: key })
    .then(() => (isDone = true));
  await eventually(() => expect(seen).toHaveLength(1));
  expect(await client.find(ConfigMap, key)).toBeUndefined();
  expect(isDone).toBe(false);
  await clock.advance(1000);
  await created;
  expect(await client.find(ConfigMap, key)).toBeDefined();
});
