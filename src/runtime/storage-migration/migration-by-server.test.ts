import { defineKind } from "@tsbuilder/apimachinery/meta";
import { expect, test } from "vitest";
import {
  crdName,
  deny,
  migrate,
  startWidgets,
  statusOf,
  versions,
} from "../../../e2e/support/cluster/stored-widgets.ts";
import { stepMigration } from "./storage-migration.ts";

const withMigrator = { kubernetesVersion: "1.37", controllers: ["storageversionmigrator"] } as const;
const StorageVersionMigration = defineKind(
  { group: "storagemigration.k8s.io", version: "v1" },
  { kind: "StorageVersionMigration", plural: "storageversionmigrations", scope: "Cluster" },
);

test("a server that migrates by itself does it", async () => {
  const { client, clock } = await startWidgets(30, withMigrator);
  const before = await versions(client);
  await stepMigration(client, crdName, clock);
  await stepMigration(client, crdName, clock);
  expect(await client.list(StorageVersionMigration)).toMatchObject([
    { metadata: { name: `${crdName}-2` }, spec: { resource: { group: "example.com", resource: "widgets" } } },
  ]);
  expect((await migrate(client, clock)).at(-1)).toMatchObject({ state: "migrated" });
  const after = await versions(client);
  expect([...after].filter(([name, version]) => before.get(name) === version)).toEqual([]);
  expect((await statusOf(client)).stored).toEqual(["v2"]);
  expect(await client.list(StorageVersionMigration)).toEqual([]);
});

test("what a server gives up at an object that it rejects, the client migrates but for that object", async () => {
  const { client, clock } = await startWidgets(30, withMigrator);
  await deny(client, "w-7");
  const before = await versions(client);
  expect((await migrate(client, clock)).at(-1)).toMatchObject({ state: "rejected", count: 1 });
  const after = await versions(client);
  expect([...after].filter(([name, version]) => before.get(name) === version).map(([name]) => name)).toEqual([
    "w-7",
  ]);
  expect((await statusOf(client)).stored).toEqual(["v1", "v2"]);
});
