import { expect, test } from "vitest";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });

if ("missing" in binaries) {
  console.log(`left out: webhooks by Service on a real API server: ${binaries.missing}`);
  test("webhooks by Service on a real API server are left out without its binaries", () => {
    expect(binaries.missing).not.toBe("");
  });
} else {
  // As `tsbuilder test --real` does; the suite is registered here again, and runs on the real server.
  process.env["TSBUILDER_TEST_ASSETS"] = binaries.folder;
  await import("../../../src/runtime/webhook/webhooks-in-cluster.test.ts");
}
