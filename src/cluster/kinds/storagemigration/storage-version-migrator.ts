import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type Condition, isConditionTrue, setCondition } from "@tsbuilder/apimachinery/meta";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { isLostRace } from "../../control-loop/failures.ts";

interface Migration extends KubernetesObject {
  readonly spec: { readonly resource: { readonly group?: string; readonly resource: string } };
  readonly status?: { readonly conditions?: Condition[]; readonly resourceVersion?: string };
}

const migrations: ResourceName<Migration> = "storageversionmigrations.storagemigration.k8s.io";
const user = userOf("storage-version-migrator");

/** Milliseconds during which a resource may begin to be served. */
const patience = 60_000;

/**
 * Writes all objects of a resource again that are older than the migration, so that they are stored in the storage version.
 * As in kube-controller-manager, the first object that the server rejects fails the migration, and the CRD's
 * `status.storedVersions` stay as they are.
 */
export function storageVersionMigrator({ objects, clock }: ControllerContext): Controller {
  return {
    watches: [migrations],
    keysOf: ({ object }) => [object.metadata.name!],

    async reconcile(key) {
      const migration = objects.get(migrations, undefined, key);
      const { conditions, resourceVersion } = migration?.status ?? {};
      if (!migration || isConditionTrue(conditions, "Succeeded") || isConditionTrue(conditions, "Failed"))
        return undefined;
      const { group = "", resource } = migration.spec.resource;
      const name = group === "" ? resource : `${resource}.${group}`;
      const served = objects.resources().find((each) => each.resource === name);
      if (!served) {
        const left = Date.parse(migration.metadata.creationTimestamp!) + patience - clock.now();
        if (left > 0) return left;
        await end(migration, "Failed", "resource does not exist");
        return undefined;
      }
      if (!resourceVersion) {
        // The server gives each write a later version: objects that are newer than this one are stored anew already.
        await objects.update(user, withStatus(migration, migration.metadata.resourceVersion, []), "status");
        return undefined;
      }
      for (const object of objects.list(served.resource)) {
        if (BigInt(object.metadata.resourceVersion!) > BigInt(resourceVersion)) continue;
        try {
          await objects.update(user, object);
        } catch (error) {
          // An object that was changed in the meantime is stored in the new version already.
          if (isLostRace(error)) continue;
          await end(migration, "Failed", (error as Error).message);
          return undefined;
        }
      }
      await end(migration, "Succeeded", "Migration completed");
      return undefined;
    },
  };

  async function end(migration: Migration, type: "Succeeded" | "Failed", message: string): Promise<void> {
    const reason = `StorageVersionMigration${type}` as const;
    const conditions = setCondition(
      migration.status?.conditions,
      { type, status: "True", reason, message },
      clock,
    );
    await objects.update(
      user,
      withStatus(migration, migration.status?.resourceVersion, conditions),
      "status",
    );
  }
}

function withStatus(
  migration: Migration,
  resourceVersion: string | undefined,
  conditions: Condition[],
): Migration {
  return { ...migration, status: { ...(resourceVersion && { resourceVersion }), conditions } };
}
