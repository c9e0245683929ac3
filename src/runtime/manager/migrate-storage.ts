import type { Kind } from "@tsbuilder/apimachinery/meta";
import { createCache } from "../cache/create-cache.ts";
import type { ClusterScopedName } from "../client/client.ts";
import { metadataOnly } from "../client/metadata-only.ts";
import { aborted, onAbort } from "../clock/waits.ts";
import type { Source } from "../controller/source.ts";
import { CustomResourceDefinition } from "../k8s/apiextensions/v1.ts";
import {
  type MigrationStep,
  type StorageMigrationOptions,
  stepMigration,
} from "../storage-migration/storage-migration.ts";
import type { Cluster } from "./cluster.ts";

/** The pause after objects were rejected, which somebody has to change first. */
const rejectedInterval = { minutes: 10 };

/** Adds the controller that migrates the stored objects of a kind, one page in each reconcile. */
export function migrateStorage(
  cluster: Cluster,
  kind: Kind,
  options: StorageMigrationOptions | undefined,
  /** Called after each step, for the metrics. */
  onStep: (crd: string, step: MigrationStep) => void,
): void {
  const client = cluster.client.with({ live: true });
  const name = `${kind.plural}.${kind.group}`;
  cluster
    .controllerOf<ClusterScopedName>((crd) => crd.name)
    .named(`storage-migration-${name}`)
    .watchesSource(specChanges(cluster, name))
    .complete({
      async reconcile(crd, { log, events }) {
        const step = await stepMigration(client, name, cluster.clock, options);
        onStep(name, step);
        const { state, version } = step;
        if (state === "current") return;
        if (state === "running") return { requeueAfter: { milliseconds: step.after } };
        const definition = await client.get(CustomResourceDefinition, crd);
        if (state === "rejected") {
          log.error("Objects can't be stored in another version", { version, message: step.message });
          events.warning(definition, "StorageMigrationRejected", step.message);
          return { requeueAfter: rejectedInterval };
        }
        const { by, written } = step;
        log.info("All objects are stored in another version", {
          version,
          by,
          ...(by === "client" && { written }),
        });
        const note =
          by === "server"
            ? `The API server has stored all objects in ${version}`
            : `${written} objects are stored in ${version}`;
        events.normal(definition, "StorageMigrated", note);
        return;
      },
    });
}

/**
 * Watches one CRD, apart from the manager's cache, which may have all CRDs. Only changes of the spec lead to a reconcile: the
 * migration's own writes of annotation and status would otherwise cause the next page before it is due.
 */
function specChanges({ client, clock }: Cluster, name: string): Source<ClusterScopedName> {
  return {
    name: `CRD ${name}`,
    async start(enqueue, { signal, patience, log }) {
      const cache = createCache(client.with({ live: true }), {
        clock,
        onError: (error) => log.warn("Can't watch the CRD of a storage migration", { crd: name, error }),
      });
      onAbort(signal, () => void cache.stop());
      const definitions = metadataOnly(CustomResourceDefinition);
      cache.keepOnly(definitions, { fields: `metadata.name=${name}` });
      const informer = cache.informer(definitions);
      let generation: number | undefined;
      informer.subscribe(({ object }) => {
        if (object.metadata.generation === generation) return;
        ({ generation } = object.metadata);
        enqueue({ name });
      });
      cache.start();
      // An operator that may not watch its CRD starts all the same.
      await Promise.race([informer.synced(signal), aborted(patience)]);
    },
  };
}
