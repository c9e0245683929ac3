import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Migrates thirty Widgets on Kubernetes 1.37, one of which the server may reject. */
function migrateOnNewest(...rejected: readonly string[]): unknown {
  const script = fileURLToPath(new URL("../../../e2e/support/cluster/migrate-on-newest.ts", import.meta.url));
  const args = ["--conditions=@tsbuilder/source", "--import", "tsx", script, ...rejected];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("a server that migrates by itself is asked to", () => {
  expect(migrateOnNewest()).toMatchObject({
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
  expect(migrateOnNewest("w-7")).toMatchObject({
    last: { state: "rejected", count: 1 },
    unchanged: ["w-7"],
    stored: ["v1", "v2"],
    left: [],
  });
});
