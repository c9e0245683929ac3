/*
 * Copyright The MySQL operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MySQL } from "../../api/v1/mysql_types.ts";
import { setupMySQLController } from "./mysql_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupMySQLController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("MySQL objects become ready", async () => {
  const { client } = manager;
  const key = { name: "test", namespace: "default" };
  await client.create(MySQL, { metadata: key, spec: {} });

  const ready = await eventually(async () => {
    const mysql = await client.get(MySQL, key);
    return isConditionTrue(mysql.status?.conditions, "Ready") && mysql;
  });
  expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
});
