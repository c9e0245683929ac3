/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Bar } from "../../../api/foo.policy/v1/bar_types.ts";
import { setupBarController } from "./bar_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupBarController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("Bar objects become ready", async () => {
  const { client } = manager;
  const key = { name: "test", namespace: "default" };
  await client.create(Bar, { metadata: key, spec: {} });

  const ready = await eventually(async () => {
    const bar = await client.get(Bar, key);
    return isConditionTrue(bar.status?.conditions, "Ready") && bar;
  });
  expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
});
