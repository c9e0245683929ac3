// Objects stay stored in the version that was the storage version when they were written last, so a CRD can't drop a version
// before all of them have been written again. `stepMigration` does that, a page at each call; a controller calls it
// (`Manager.migrateStorage`), or a command. How far it is stands in an annotation of the CRD, so that another process goes on.

import {
  type Condition,
  type Kind,
  type KubernetesObject,
  type NamespacedName,
  defineKind,
  findCondition,
  isConditionTrue,
  setCondition,
} from "@tsbuilder/apimachinery/meta";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { type Client, type ClusterScopedName, type Stored, formatKey, keyOf } from "../client/client.ts";
import { metadataOnly } from "../client/metadata-only.ts";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import { CustomResourceDefinition } from "../k8s/apiextensions/v1.ts";

/** How a migration proceeds. */
export interface StorageMigrationOptions {
  /** The objects that are written in a second, at most. Default: 100. */
  readonly objectsPerSecond?: number | undefined;
}

/** What a step found or did. */
export type MigrationStep =
  /** All objects are stored in the storage version, and the CRD says so. */
  | { readonly state: "migrated"; readonly version: string; readonly written: number }
  /** The next step is due in `after` milliseconds. `total` is what the server estimates, if it does. */
  | {
      readonly state: "running";
      readonly version: string;
      readonly written: number;
      readonly total: number | undefined;
      readonly after: number;
    }
  /** The server rejects some objects as they are, so they are still stored as they were. The next step begins again. */
  | {
      readonly state: "rejected";
      readonly version: string;
      readonly count: number;
      readonly message: string;
    };

/** The condition of a CRD that tells people, and `kubectl wait`, about the migration. */
const migratedCondition = "StorageMigrated";
const progressAnnotation = "tsbuilder.dev/storage-migration";

/** How far a migration is. Another storage version, or any other change of the CRD's spec, begins it again. */
interface Progress {
  readonly version: string;
  readonly generation: number;
  /** The objects that have been written, or have been changed or deleted by others since they were listed. */
  readonly written: number;
  readonly rejected: number;
  /** Why the first of those was rejected. */
  readonly why?: string | undefined;
  /** Where the next page begins. */
  readonly continue?: string | undefined;
  /** The server's own controller migrates. */
  readonly byServer?: boolean | undefined;
}

/**
 * Milliseconds from a migration's beginning to its first page: until then, another API server may still write objects in the
 * former version. Kubernetes waits as long before it calls a CRD established.
 */
const settleTime = 5000;
/** Milliseconds between two looks at a migration by the server. */
const serverInterval = 2000;
const writers = 10;
const longestPage = 500;

type CRD = Stored<CustomResourceDefinition, ClusterScopedName>;

/**
 * Takes the next step of the migration of a CRD's objects. Throws an `ApiError` if the server can't be reached, the lists
 * can't be converted, or another process took a step at the same time: then call it again later. `client` must be live.
 */
export async function stepMigration(
  client: Client,
  name: string,
  clock: Clock,
  { objectsPerSecond = 100 }: StorageMigrationOptions = {},
): Promise<MigrationStep> {
  if (!(objectsPerSecond > 0))
    throw new TerminalError(`objectsPerSecond is ${objectsPerSecond}: it must be positive`);
  const crd = await client.get(CustomResourceDefinition, { name });
  const version = storageVersionOf(crd);
  const progress = progressOf(crd);
  const { generation = 0 } = crd.metadata;
  const report = (next: Progress | undefined, condition: ReportedCondition, storedVersions?: string[]) =>
    updateStatus(client, crd, clock, next, condition, storedVersions);

  if (crd.status?.storedVersions?.every((stored) => stored === version)) {
    if (progress || findCondition(crd.status.conditions, migratedCondition)?.status === "False")
      await report(undefined, migrated(version));
    return { state: "migrated", version, written: progress?.written ?? 0 };
  }
  if (progress?.version !== version || progress.generation !== generation) {
    const byServer = await canServerMigrate(client);
    await report({ version, generation, written: 0, rejected: 0, byServer }, running("Waiting", "It begins"));
    return { state: "running", version, written: 0, total: undefined, after: settleTime };
  }
  if (progress.byServer) {
    const state = await migrateByServer(client, crd, clock);
    if (typeof state === "object") {
      await report(progress, state);
      return { state: "running", version, written: 0, total: undefined, after: serverInterval };
    }
    if (state === "Failed") {
      // The server's controller ends at the first object that it can't write: the client goes on, and names it.
      await report(
        { ...progress, byServer: false },
        running("Migrating", "The server's own migration failed"),
      );
      return { state: "running", version, written: 0, total: undefined, after: 1 };
    }
    await report(undefined, migrated(version), [version]);
    return { state: "migrated", version, written: 0 };
  }

  const begun = clock.monotonic();
  const pageSize = Math.max(1, Math.min(longestPage, Math.round(objectsPerSecond)));
  const kind = kindOf(crd, version);
  const page = await listPage(client, kind, pageSize, progress.continue);
  const errors = await writeAgain(client, kind, page.items);
  const written = progress.written + page.items.length - errors.length;
  const rejected = progress.rejected + errors.length;
  const why = progress.why ?? errors[0];
  if (page.continue !== undefined) {
    const total = page.remaining === undefined ? undefined : written + rejected + page.remaining;
    const next = { ...progress, written, rejected, why, continue: page.continue };
    await report(
      next,
      running("Migrating", `${written} of ${total ?? "unknown"} objects are stored in ${version}`),
    );
    const after = Math.max(1, (page.items.length / objectsPerSecond) * 1000 - (clock.monotonic() - begun));
    return { state: "running", version, written, total, after };
  }
  if (rejected > 0) {
    const message = `${rejected} ${rejected === 1 ? "object" : "objects"} can't be stored in ${version}: ${why}`;
    await report(undefined, running("Rejected", message));
    return { state: "rejected", version, count: rejected, message };
  }
  await report(undefined, migrated(version), [version]);
  return { state: "migrated", version, written };
}

function storageVersionOf({ spec }: CRD): string {
  return spec.versions.find(({ storage }) => storage)!.name;
}

function progressOf({ metadata }: CRD): Progress | undefined {
  const text = metadata.annotations?.[progressAnnotation];
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isObject(value) ? (value as unknown as Progress) : undefined;
  } catch {
    return undefined;
  }
}

type ReportedCondition = Pick<Condition, "status" | "reason" | "message">;

function running(reason: "Waiting" | "Migrating" | "Rejected", message: string): ReportedCondition {
  return { status: "False", reason, message };
}

function migrated(version: string): ReportedCondition {
  return { status: "True", reason: "Migrated", message: `All objects are stored in ${version}` };
}

/** Writes the annotation and the condition, which the status of a CRD both takes, unless somebody changed the CRD since. */
async function updateStatus(
  client: Client,
  crd: CRD,
  clock: Clock,
  progress: Progress | undefined,
  condition: ReportedCondition,
  storedVersions?: string[],
): Promise<void> {
  const { resourceVersion } = crd.metadata;
  const annotations = { [progressAnnotation]: progress ? JSON.stringify(progress) : null };
  const conditions = setCondition(
    crd.status?.conditions as Condition[],
    { type: migratedCondition, ...condition },
    clock,
  );
  const merge = { metadata: { resourceVersion, annotations }, status: { conditions, storedVersions } };
  await client.subresource(CustomResourceDefinition, crd, "status").patch({ merge });
}

/** The kind as the storage version has it, or as another one, if that isn't served. Its objects come without their content. */
function kindOf({ spec }: CRD, storage: string): Kind<KubernetesObject, NamespacedName> {
  const { group, names, scope } = spec;
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ name }) => name === storage) ?? served[0];
  if (!version) throw new TerminalError(`no version of ${names.plural}.${group} is served`);
  const definition = { kind: names.kind, plural: names.plural, scope: scope as "Namespaced" };
  return metadataOnly(defineKind<KubernetesObject>({ group, version: version.name }, definition));
}

interface Page {
  readonly items: readonly KubernetesObject[];
  readonly continue: string | undefined;
  readonly remaining: number | undefined;
}

/**
 * Reads a page. A token that is too old, such as that of a process which ended minutes ago, is exchanged for one of today:
 * objects that were made since are stored in the new version anyway.
 */
async function listPage(client: Client, kind: Kind, pageSize: number, token?: string): Promise<Page> {
  try {
    for await (const { items, metadata } of client.pages(kind, { pageSize, continue: token }))
      return { items, continue: metadata.continue || undefined, remaining: metadata.remainingItemCount };
  } catch (error) {
    const fresh = error instanceof ApiError && error.isGone && error.body.metadata?.continue;
    if (fresh && fresh !== token) return await listPage(client, kind, pageSize, fresh);
    throw error;
  }
  throw new Error("a list has at least one page");
}

/**
 * Writes objects as they are: a patch that changes nothing, which the server stores only if that changes the version. An
 * object that was changed or deleted since needs none. Returns why objects were rejected; throws what a retry may cure.
 */
async function writeAgain(
  client: Client,
  kind: Kind,
  objects: readonly KubernetesObject[],
): Promise<string[]> {
  const rejections: string[] = [];
  const queue = objects.values();
  const write = async (): Promise<void> => {
    for (const object of queue) {
      const { resourceVersion } = object.metadata;
      const key = keyOf(object as { metadata: NamespacedName });
      try {
        await client.patch(kind, key, { merge: { metadata: { resourceVersion } } });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // Webhooks and quotas respond with these codes, too, and then the object is still stored as it was.
        const mayBeStored = error.isNotFound || error.isConflict;
        if (mayBeStored && (await client.find(kind, key))?.metadata.resourceVersion !== resourceVersion)
          continue;
        if (error.status < 400 || error.status >= 500 || error.status === 429 || error.isUnauthorized)
          throw error;
        rejections.push(`${formatKey(object.metadata)}: ${error.body.message ?? error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return rejections;
}

interface StorageVersionMigration extends KubernetesObject {
  spec: { resource: { group: string; resource: string } };
  status?: { conditions?: Condition[]; resourceVersion?: string };
}

/** Servers have it since Kubernetes 1.37. */
const StorageVersionMigration = defineKind<StorageVersionMigration>(
  { group: "storagemigration.k8s.io", version: "v1" },
  { kind: "StorageVersionMigration", plural: "storageversionmigrations", scope: "Cluster" },
);

/** Returns true if the server migrates when it is asked to, and this client may ask. */
async function canServerMigrate(client: Client): Promise<boolean> {
  try {
    for await (const _ of client.pages(StorageVersionMigration, { pageSize: 1 })) return true;
    return false;
  } catch (error) {
    if (error instanceof ApiError && (error.isNotFound || error.isForbidden)) return false;
    throw error;
  }
}

/** Milliseconds after which a request that nobody has taken up is withdrawn: the controller may be switched off. */
const serverPatience = 60_000;

/** Has the server migrate, in an object for each generation of the CRD. Returns what is known of it while it runs. */
async function migrateByServer(
  client: Client,
  crd: CRD,
  clock: Clock,
): Promise<"Succeeded" | "Failed" | ReportedCondition> {
  const key = { name: `${crd.metadata.name}-${crd.metadata.generation ?? 0}` };
  const { group, names } = crd.spec;
  const resource = { group, resource: names.plural };
  const found = await client.find(StorageVersionMigration, key);
  if (!found) {
    await client.create(StorageVersionMigration, { metadata: key, spec: { resource } });
    return running("Migrating", `The server migrates: StorageVersionMigration ${key.name}`);
  }
  const conditions = found.status?.conditions;
  const isIgnored =
    !found.status?.resourceVersion &&
    clock.now() - Date.parse(found.metadata.creationTimestamp) > serverPatience;
  const ended = isIgnored
    ? "Failed"
    : (["Succeeded", "Failed"] as const).find((type) => isConditionTrue(conditions, type));
  if (ended) {
    await client.delete(StorageVersionMigration, found);
    return ended;
  }
  const { message } = findCondition(conditions, "Running") ?? {};
  return running("Migrating", message || `The server migrates: StorageVersionMigration ${key.name}`);
}
