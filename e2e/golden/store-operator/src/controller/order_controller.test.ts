import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Order } from "../../api/v1/order_types.ts";
import { setupOrderController } from "./order_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupOrderController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("Order objects become ready", async () => {
  const { client } = manager;
  const key = { name: "test", namespace: "default" };
  await client.create(Order, { metadata: key, spec: {} });

  const ready = await eventually(async () => {
    const order = await client.get(Order, key);
    return isConditionTrue(order.status?.conditions, "Ready") && order;
  });
  expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
});
