import { afterAll, expect, test } from "vitest";
import { realKubeconfig } from "../../support/runtime/cluster-under-test.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });

if ("missing" in binaries) {
  console.log(`left out: the runtime on a real control plane: ${binaries.missing}`);
  test("the runtime on a real control plane is left out without its binaries", () => {
    expect(binaries.missing).not.toBe("");
  });
} else {
  const control = await startControlPlane(binaries.folder);
  process.env[realKubeconfig] = control.kubeconfig;
  afterAll(() => control.stop());
  // The unit tests of the runtime are registered here again, and run on the real server.
  await import("../../../src/runtime/client/live-client.test.ts");
  await import("../../../src/runtime/client/live-client-patches.test.ts");
  await import("../../../src/runtime/cache/cached-client.test.ts");
  await import("../../../src/runtime/client/children.test.ts");
  await import("../../../src/runtime/client/retry-on-conflict.test.ts");
  await import("../../../src/runtime/cache/applied-fields.test.ts");
  await import("../../../src/runtime/cache/create-cache.test.ts");
  await import("../../../src/runtime/cache/informer.test.ts");
  await import("../../../src/runtime/controller/controllers-in-cluster.test.ts");
  await import("../../../src/runtime/manager/manager.test.ts");
  await import("../../../src/runtime/manager/manager-endpoints.test.ts");
  await import("../../../src/runtime/manager/random-faults.test.ts");
  await import("../../../src/runtime/manager/shard-metrics.test.ts");
  await import("../../../src/runtime/manager/sharded-processes.test.ts");
  await import("../../../src/runtime/events/api-event-recorder.test.ts");
  await import("../../../src/runtime/leader-election/lease-elector.test.ts");
}
