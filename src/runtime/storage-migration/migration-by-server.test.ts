import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Migrates thirty Widgets on Kubernetes 1.37, with a controller or without, one of which the server may reject. */
function migrateOnNewest(controller: string, ...rejected: readonly string[]): unknown {
  const script = fileURLToPath(new URL("../../../e2e/support/cluster/migrate-on-newest.ts", import.meta.url));
  const args = ["--conditions=@tsbuilder/source", "--import", "tsx", script, controller, ...rejected];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("a server that migrates by itself is asked to", () => {
  expect(migrateOnNewest("storageversionmigrator")).toMatchObject({
    requested: [
      {
        metadata: { name: "widgets.example.com-2" },
        spec: { resource: { group: "example.com", resource: "widgets" } },
      },
    ],
    last: { state: "migrated" },
    unchanged: [],
    stored: ["v2"],
    left: [],
  });
});

test("what a server gives up at an object that it rejects, the client migrates but for that object", () => {
  expect(migrateOnNewest("storageversionmigrator", "w-7")).toMatchObject({
    last: { state: "rejected", count: 1 },
    unchanged: ["w-7"],
    stored: ["v1", "v2"],
    left: [],
  });
});

test("the client migrates where the server has the kind, but nobody who migrates", () => {
  expect(migrateOnNewest("")).toMatchObject({
    last: { state: "migrated", written: 30 },
    unchanged: [],
    stored: ["v2"],
    left: [],
  });
});
