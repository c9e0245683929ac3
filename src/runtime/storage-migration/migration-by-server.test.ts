import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { NewestMigration } from "../../../e2e/support/cluster/migrate-on-newest.ts";

function migrateOnNewest(migration: NewestMigration): unknown {
  const script = fileURLToPath(new URL("../../../e2e/support/cluster/migrate-on-newest.ts", import.meta.url));
  const args = ["--conditions=@tsbuilder/source", "--import", "tsx", script, JSON.stringify(migration)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

const controllers = ["storageversionmigrator"] as const;

test("a server that migrates by itself is asked to", () => {
  expect(migrateOnNewest({ controllers })).toMatchObject({
    requested: [
      {
        metadata: { name: "widgets.example.com-2" },
        spec: { resource: { group: "example.com", resource: "widgets" } },
      },
    ],
    last: { state: "migrated", by: "server" },
    unchanged: [],
    stored: ["v2"],
    left: [],
  });
});

test("a manager logs and records that the server has migrated", () => {
  expect(migrateOnNewest({ controllers, byManager: true })).toMatchObject({
    events: ["The API server has stored all objects in v2"],
    logged: [expect.stringMatching(/"version":"v2","by":"server"/u)],
    unchanged: [],
    stored: ["v2"],
    left: [],
  });
});

test("the client completes a migration that the server has given up, but for the object that the server rejects", () => {
  expect(migrateOnNewest({ controllers, rejected: "w-7" })).toMatchObject({
    last: { state: "rejected", count: 1 },
    unchanged: ["w-7"],
    stored: ["v1", "v2"],
    left: [],
  });
});

test("the client migrates where the server has the kind, but no controller for it", () => {
  expect(migrateOnNewest({ controllers: [] })).toMatchObject({
    last: { state: "migrated", by: "client", written: 30 },
    unchanged: [],
    stored: ["v2"],
    left: [],
  });
});
