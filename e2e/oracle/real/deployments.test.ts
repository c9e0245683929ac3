import { afterAll, expect, test } from "vitest";
import { realKubeconfig } from "../../support/runtime/cluster-under-test.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });

if ("missing" in binaries) {
  console.log(`left out: deployments on a real control plane: ${binaries.missing}`);
  test("deployments on a real control plane are left out without its binaries", () => {
    expect(binaries.missing).not.toBe("");
  });
} else {
  const control = await startControlPlane(binaries.folder);
  process.env[realKubeconfig] = control.kubeconfig;
  afterAll(() => control.stop());
  // The suite of the embedded cluster is registered here again, and runs on the real server.
  await import("../../journeys/long/deployments.test.ts");
}
