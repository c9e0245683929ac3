import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { ConfigMap, Secret } from "../k8s/core/v1.ts";
import { startTestManager, untilIdle } from "./test-manager.ts";

test("untilIdle() resolves when controllers have finished what a write set off, by way of several reconciles", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const { manager, client, stop } = await startTestManager(cluster.kubeconfig);
  onTestFinished(stop);
  // Each reconcile counts one up, and so sets off the next.
  manager.controllerFor(ConfigMap).complete({
    async reconcile(request) {
      const counter = await manager.client.find(ConfigMap, request);
      const count = Number(counter?.data?.["count"] ?? 10);
      if (count === 10) return { requeueAfter: "1h" };
      await manager.client.patch(ConfigMap, request, { merge: { data: { count: String(count + 1) } } });
    },
  });
  const metadata = { name: "counter", namespace: "default" };
  await client.create(ConfigMap, { metadata, data: { count: "0" } });
  await untilIdle(manager);
  expect((await client.get(ConfigMap, metadata)).data).toEqual({ count: "10" });
  expect(manager.isIdle).toBe(true);
});

test("untilIdle() rejects if a reconcile doesn't end", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  let finish = () => {};
  const { manager, client, stop } = await startTestManager(cluster.kubeconfig, (own) => {
    own
      .controllerFor(Secret)
      .complete({ reconcile: () => new Promise<void>((resolve) => (finish = resolve)) });
  });
  onTestFinished(stop);
  await client.create(Secret, { metadata: { name: "a", namespace: "default" } });
  await expect(untilIdle(manager, { timeout: 500 })).rejects.toThrow("gave false after 500 ms");
  finish();
});

test("untilIdle() rejects if controllers set each other off without end", async () => {
  let asked = 0;
  // Idle whenever it is asked, and busy again when the process has settled.
  const manager = {
    get isIdle() {
      return asked++ % 2 === 0;
    },
  };
  await expect(untilIdle(manager as never, { timeout: 100 })).rejects.toThrow("gave false after 100 ms");
});
