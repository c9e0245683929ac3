import { type KubernetesObject, defineKind } from "@tsbuilder/apimachinery/meta";
import { createLogger } from "@tsbuilder/runtime";
import { crdName, deny, inVersion, migrate, openWidgets, statusOf, versions } from "./stored-widgets.ts";
import { moveClock, moveClockUntil } from "../../../src/runtime/testing/move-clock.ts";
import { startTestManager } from "../../../src/runtime/testing/test-manager.ts";
import { stepMigration } from "../../../src/runtime/storage-migration/storage-migration.ts";

/** How Widgets are migrated on Kubernetes 1.37, which the tests' own process cannot serve beside another release. */
export interface NewestMigration {
  /** The controllers of the server. */
  readonly controllers: readonly "storageversionmigrator"[];
  /** A Widget whose updates the server rejects. */
  readonly rejected?: string;
  /** A manager migrates; else steps are taken one by one. */
  readonly byManager?: boolean;
}

/** Prints how thirty Widgets were migrated: `migrate-on-newest.ts JSON`. */
const { controllers, rejected, byManager } = JSON.parse(process.argv[2]!) as NewestMigration;
const { client, clock, cluster, stop } = await openWidgets(30, { kubernetesVersion: "1.37", controllers });
const StorageVersionMigration = defineKind(
  { group: "storagemigration.k8s.io", version: "v1" },
  { kind: "StorageVersionMigration", plural: "storageversionmigrations", scope: "Cluster" },
);
const Event = defineKind<KubernetesObject & { note?: string }>(
  { group: "events.k8s.io", version: "v1" },
  { kind: "Event", plural: "events" },
);
if (rejected !== undefined) await deny(client, rejected);
const before = await versions(client);

async function migrateByManager() {
  // A moved clock does not wait for modules, which a thread loads: their first use comes before.
  await client.list(StorageVersionMigration);
  await client.list(Event);
  const lines: string[] = [];
  const logger = createLogger({ clock, write: (line) => void lines.push(line) });
  const { stop: stopManager } = await startTestManager(
    { kubeconfig: cluster.kubeconfig, clock, logger },
    (manager) => manager.migrateStorage(inVersion("v2")),
  );
  const recorded = async () => {
    const notes = (await client.list(Event)).map(({ note }) => note);
    return notes.length > 0 && notes;
  };
  const events = await moveClockUntil(clock, recorded, { timeout: 600_000 });
  await moveClock(clock, 60_000);
  await stopManager();
  return { events, logged: lines.filter((line) => line.includes("stored in another version")) };
}

async function migrateBySteps() {
  await stepMigration(client, crdName, clock);
  await stepMigration(client, crdName, clock);
  const requested = await client.list(StorageVersionMigration);
  return { requested, last: (await migrate(client, clock)).at(-1) };
}

const result = await (byManager ? migrateByManager() : migrateBySteps());
const after = await versions(client);
const unchanged = [...after].filter(([name, version]) => before.get(name) === version).map(([name]) => name);
const { stored } = await statusOf(client);
const left = await client.list(StorageVersionMigration);
console.log(JSON.stringify({ ...result, unchanged, stored, left }));
await stop();
