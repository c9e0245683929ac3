import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { ClusterScopedName } from "../client/client.ts";
import { pollSource } from "../controller/poll-source.ts";
import { CustomResourceDefinition } from "../k8s/apiextensions/v1.ts";
import { type StorageMigrationOptions, stepMigration } from "../storage-migration/storage-migration.ts";
import type { Cluster } from "./cluster.ts";

/** How long objects that the server rejects are left alone: somebody has to change them. */
const rejectedInterval = { minutes: 10 };

/** Adds the controller that migrates the stored objects of a kind, a page in each reconcile. */
export function migrateStorage(cluster: Cluster, kind: Kind, options?: StorageMigrationOptions): void {
  const client = cluster.client.with({ live: true });
  const crd: ClusterScopedName = { name: `${kind.plural}.${kind.group}` };
  const source = pollSource({
    name: `CRD ${crd.name}`,
    every: { minutes: 1 },
    list: async (signal) => [await client.get(CustomResourceDefinition, crd, { signal })],
    key: ({ metadata }) => metadata.name,
    requests: () => [crd],
  });
  cluster
    .controllerOf<ClusterScopedName>(({ name }) => name)
    .named(`storage-migration-${crd.name}`)
    .watchesSource(source)
    .complete({
      async reconcile({ name }, { log, events }) {
        const step = await stepMigration(client, name, cluster.clock, options);
        if (step.state === "running") return { requeueAfter: { milliseconds: step.after } };
        const subject = source.get(name)!;
        if (step.state === "rejected") {
          log.error("Objects can't be stored in another version", {
            version: step.version,
            message: step.message,
          });
          events.warning(subject, "StorageMigrationRejected", step.message);
          return { requeueAfter: rejectedInterval };
        }
        if (step.written === 0) return;
        log.info("Stored all objects in another version", { version: step.version, objects: step.written });
        events.normal(subject, "StorageMigrated", `${step.written} objects are stored in ${step.version}`);
        return;
      },
    });
}
