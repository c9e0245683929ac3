import { expect, onTestFinished, test } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";
import { migrateUnderLoad } from "./storage-migration/migrate-under-load.ts";

const binaries = findBinaries({ build: false });

test.skipIf("missing" in binaries)(
  "all objects are stored anew, though the operator is killed and others write",
  async () => {
    if ("missing" in binaries) return;
    const plane = await startControlPlane(binaries.folder, { controllerManager: true });
    onTestFinished(() => plane.stop());
    const report = await migrateUnderLoad(plane, { objects: 800, objectsPerSecond: 300, killEvery: 2000 });
    expect(report).toMatchObject({ wrong: [], left: [], storedVersions: ["v2"] });
    expect(report.kills).toBeGreaterThan(0);
    expect(report.writes).toBeGreaterThan(0);
  },
);
