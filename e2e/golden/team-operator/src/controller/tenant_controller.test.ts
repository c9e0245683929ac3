/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Tenant } from "../../api/v1/tenant_types.ts";
import { setupTenantController } from "./tenant_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupTenantController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("Tenant objects become ready", async () => {
  const { client } = manager;
  const key = { name: "test" };
  await client.create(Tenant, { metadata: key, spec: {} });

  const ready = await eventually(async () => {
    const tenant = await client.get(Tenant, key);
    return isConditionTrue(tenant.status?.conditions, "Ready") && tenant;
  });
  expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
});
