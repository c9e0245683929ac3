import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Invoice } from "../../api/v1/invoice_types.ts";
import { setupInvoiceController } from "./invoice_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupInvoiceController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("Invoice objects become ready", async () => {
  const { client } = manager;
  const key = { name: "test", namespace: "default" };
  await client.create(Invoice, { metadata: key, spec: {} });

  const ready = await eventually(async () => {
    const invoice = await client.get(Invoice, key);
    return isConditionTrue(invoice.status?.conditions, "Ready") && invoice;
  });
  expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
});
