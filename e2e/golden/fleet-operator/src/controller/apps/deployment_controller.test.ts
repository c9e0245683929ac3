/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { startTestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setupDeploymentController } from "./deployment_controller.ts";

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startTestCluster();
});

afterAll(() => cluster?.stop());

test("the controller watches Deployment objects", async () => {
  const manager = await startTestManager(cluster.kubeconfig, setupDeploymentController);
  // Create a Deployment with manager.client here, and wait with eventually() for what your logic makes of it.
  await expect(manager.stop()).resolves.toBeUndefined();
});
