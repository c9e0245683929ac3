import { test, expect } from "vitest";
import { devElsewhereSuite } from "../../support/dev/dev-elsewhere.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });

if ("missing" in binaries) {
  console.log(`left out: dev --context on a real control plane: ${binaries.missing}`);
  test.skipIf(true)(`left out: ${binaries.missing}`, () => expect(binaries).not.toHaveProperty("missing"));
} else {
  devElsewhereSuite("a real control plane", () =>
    startControlPlane(binaries.folder, { controllerManager: true }),
  );
}
