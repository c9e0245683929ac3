import { afterAll, expect, test } from "vitest";
import { realKubeconfig } from "../../support/runtime/cluster-under-test.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });

if ("missing" in binaries) {
  console.log(`left out: generated CRDs on a real API server: ${binaries.missing}`);
  test("generated CRDs on a real API server are left out without its binaries", () => {
    expect(binaries.missing).not.toBe("");
  });
} else {
  const control = await startControlPlane(binaries.folder);
  process.env[realKubeconfig] = control.kubeconfig;
  afterAll(() => control.stop());
  // Every example of the conformance suite is sent to the server, which must agree with our verdict on it.
  await import("../../../src/generators/conformance/server.test.ts");
}
