import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cart } from "../../api/v1/cart_types.ts";
import { setupCartController } from "./cart_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupCartController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("Cart objects get what they own", async () => {
  const { client } = manager;
  const key = { name: "test", namespace: "default" };
  await client.create(Cart, { metadata: key, spec: {} });

  await eventually(() => client.get(Deployment, key));
  await eventually(() => client.get(Service, key));
  await eventually(() => client.get(ConfigMap, key));
  await eventually(async () => {
    const cart = await client.get(Cart, key);
    expect(cart.status?.observedGeneration).toBe(cart.metadata.generation);
  });
});
