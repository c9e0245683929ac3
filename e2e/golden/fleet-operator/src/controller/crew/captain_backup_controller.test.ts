/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Captain } from "../../../api/crew/v1/captain_types.ts";
import { setupCaptainBackupController } from "./captain_backup_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupCaptainBackupController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("Captain objects become ready", async () => {
  const { client } = manager;
  const key = { name: "test", namespace: "default" };
  await client.create(Captain, { metadata: key, spec: {} });

  const ready = await eventually(async () => {
    const captain = await client.get(Captain, key);
    return isConditionTrue(captain.status?.conditions, "Ready") && captain;
  });
  expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
});
