import { afterAll, expect, test } from "vitest";
import { realKubeconfig } from "../../support/runtime/cluster-under-test.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });

if ("missing" in binaries) {
  console.log(`left out: shards on a real control plane: ${binaries.missing}`);
  test("shards on a real control plane are left out without its binaries", () => {
    expect(binaries.missing).not.toBe("");
  });
} else {
  // Without the feature gate, the same tests run in runtime.test.ts.
  const control = await startControlPlane(binaries.folder, { featureGates: ["ShardedListAndWatch"] });
  process.env[realKubeconfig] = control.kubeconfig;
  afterAll(() => control.stop());
  await import("../../../src/runtime/manager/shard-metrics.test.ts");
  await import("../../../src/runtime/manager/sharded-processes.test.ts");
}
