import { defineKind } from "@tsbuilder/apimachinery/meta";
import { crdName, deny, migrate, openWidgets, statusOf, versions } from "./stored-widgets.ts";
import { stepMigration } from "../../../src/runtime/storage-migration/storage-migration.ts";

// A process serves one release: `migrate-on-newest.ts CONTROLLER [REJECTED]` migrates on another one than the tests' own, and says how.

const [controller, rejected] = process.argv.slice(2);
const { client, clock, stop } = await openWidgets(30, {
  kubernetesVersion: "1.37",
  controllers: controller === "" ? [] : ["storageversionmigrator"],
});
const StorageVersionMigration = defineKind(
  { group: "storagemigration.k8s.io", version: "v1" },
  { kind: "StorageVersionMigration", plural: "storageversionmigrations", scope: "Cluster" },
);
if (rejected !== undefined) await deny(client, rejected);
const before = await versions(client);
await stepMigration(client, crdName, clock);
await stepMigration(client, crdName, clock);
const requested = await client.list(StorageVersionMigration);
const last = (await migrate(client, clock)).at(-1);
const after = await versions(client);
const unchanged = [...after].filter(([name, version]) => before.get(name) === version).map(([name]) => name);
const { stored } = await statusOf(client);
const left = await client.list(StorageVersionMigration);
console.log(JSON.stringify({ requested, last, unchanged, stored, left }));
await stop();
