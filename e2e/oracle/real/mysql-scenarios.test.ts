import { expect, test } from "vitest";
import { mysqlScenarioSuite } from "../../support/operators/mysql/suite.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });

if ("missing" in binaries) {
  console.log(`left out: the MySQL operator on a real control plane: ${binaries.missing}`);
  test.skipIf(true)(`left out: ${binaries.missing}`, () => expect(binaries).not.toHaveProperty("missing"));
} else {
  mysqlScenarioSuite("a real control plane", () =>
    startControlPlane(binaries.folder, { controllerManager: true }),
  );
}
