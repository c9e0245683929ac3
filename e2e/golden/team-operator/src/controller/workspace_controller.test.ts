/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Workspace } from "../../api/v1/workspace_types.ts";
import { setupWorkspaceController } from "./workspace_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupWorkspaceController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("Workspace objects become ready", async () => {
  const { client } = manager;
  const key = { name: "test", namespace: "default" };
  await client.create(Workspace, { metadata: key, spec: {} });

  const ready = await eventually(async () => {
    const workspace = await client.get(Workspace, key);
    return isConditionTrue(workspace.status?.conditions, "Ready") && workspace;
  });
  expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
});
