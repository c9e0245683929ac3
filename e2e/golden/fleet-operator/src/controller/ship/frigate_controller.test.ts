/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Frigate } from "../../../api/ship/v1beta1/frigate_types.ts";
import { setupFrigateController } from "./frigate_controller.ts";

let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: a Deployment gets no pods and no status, unless a test sets it, or
// startTestCluster() starts the controllers that do, such as { controllers: ["deployment", "replicaset"] }.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupFrigateController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("Frigate objects become ready", async () => {
  const { client } = manager;
  const key = { name: "test" };
  await client.create(Frigate, { metadata: key, spec: {} });

  const ready = await eventually(async () => {
    const frigate = await client.get(Frigate, key);
    return isConditionTrue(frigate.status?.conditions, "Ready") && frigate;
  });
  expect(ready.status?.observedGeneration).toBe(ready.metadata.generation);
});
