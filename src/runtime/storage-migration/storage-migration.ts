// An object stays stored in the version that was the storage version when it was last written, so a CRD cannot drop a version
// until all objects have been written again. `stepMigration` does this, one page in each call. A controller calls it
// (`Manager.migrateStorage`), or a command. An annotation of the CRD has the progress, so that another process can continue.

import {
  type Condition,
  type Kind,
  type KubernetesObject,
  type NamespacedName,
  defineKind,
  findCondition,
  setCondition,
} from "@tsbuilder/apimachinery/meta";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Client, ClusterScopedName, Stored } from "../client/client.ts";
import { metadataOnly } from "../client/metadata-only.ts";
import { TerminalError } from "../errors/api-error.ts";
import { CustomResourceDefinition } from "../k8s/apiextensions/v1.ts";
import { askServer, canServerMigrate } from "./server-migration.ts";
import { listPage, type Page, writeAgain } from "./write-page.ts";

/** How a migration proceeds. */
export interface StorageMigrationOptions {
  /** The most objects that are written in a second. Default: 100. */
  readonly objectsPerSecond?: number | undefined;
}

/** The result of a step. */
export type MigrationStep = {
  /** The storage version. */
  readonly version: string;
  /** The objects that this step has written. */
  readonly writtenNow: number;
} & (
  | {
      /** The CRD listed no other version as stored, so nothing was to be done. */
      readonly state: "current";
    }
  | {
      /** The next step is due in `after` milliseconds. */
      readonly state: "running";
      /** Who writes the objects: this client, or a controller of the API server, which counts them for itself. */
      readonly by: Writer;
      /** The objects that the migration has written so far. */
      readonly written: number;
      /** The number of all objects, if the API server estimates it. */
      readonly total: number | undefined;
      readonly after: number;
    }
  | {
      /** All objects are stored in the storage version, and the CRD lists no other version any more. */
      readonly state: "migrated";
      readonly by: Writer;
      readonly written: number;
    }
  | {
      /** The API server rejects some objects as they are, so they stay stored in another version. The next step begins again. */
      readonly state: "rejected";
      readonly count: number;
      readonly message: string;
    }
);

type Writer = "client" | "server";

/** The progress of a migration. It is void once the storage version or anything else in the spec of the CRD changes. */
interface Progress {
  readonly version: string;
  readonly generation: number;
  /** The objects that were written, or that others have changed or deleted since they were listed. */
  readonly written: number;
  readonly rejected: number;
  /** Why the first of the rejected objects was rejected. */
  readonly why?: string | undefined;
  /** The token of the next page. */
  readonly continue?: string | undefined;
  /** A controller of the API server writes the objects. */
  readonly byServer?: boolean | undefined;
}

type CRD = Stored<CustomResourceDefinition, ClusterScopedName>;

/** A migration whose next step is taken. */
interface Migration {
  readonly client: Client;
  readonly clock: Clock;
  readonly crd: CRD;
  /** The storage version. */
  readonly version: string;
  readonly objectsPerSecond: number;
}

/**
 * Milliseconds from the beginning of a migration to its first page: until then, another API server may still write objects in
 * the former version. Kubernetes waits as long before it calls a CRD established.
 */
const settleTime = 5000;
/** Milliseconds between two looks at a migration by the server. */
const serverInterval = 2000;
const longestPage = 500;

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
  const migration = { client, clock, crd, version: storageVersionOf(crd), objectsPerSecond };
  const phase = phaseOf(crd);
  switch (phase.name) {
    case "current":
      return { state: "current", version: migration.version, writtenNow: 0 };
    case "unreported":
      return finish(migration, "client", phase.written, 0);
    case "unstarted":
      return begin(migration);
    case "server":
      return followServer(migration, phase.progress);
    case "pages":
      return writePage(migration, phase.progress);
  }
}

type Phase =
  | { readonly name: "current" | "unstarted" }
  /** Somebody else has removed the other versions from `storedVersions` during the migration. */
  | { readonly name: "unreported"; readonly written: number }
  | { readonly name: "server" | "pages"; readonly progress: Progress };

/** Returns the phase of the migration, which the CRD alone decides. */
function phaseOf(crd: CRD): Phase {
  const { status, metadata } = crd;
  const version = storageVersionOf(crd);
  const progress = progressOf(crd);
  if (status?.storedVersions?.every((stored) => stored === version)) {
    const isReported = findCondition(status.conditions, migratedCondition)?.status !== "False";
    return !progress && isReported
      ? { name: "current" }
      : { name: "unreported", written: progress?.written ?? 0 };
  }
  if (progress?.version !== version || progress.generation !== (metadata.generation ?? 0))
    return { name: "unstarted" };
  return { name: progress.byServer ? "server" : "pages", progress };
}

function storageVersionOf({ spec }: CRD): string {
  return spec.versions.find(({ storage }) => storage)!.name;
}

async function begin(migration: Migration): Promise<MigrationStep> {
  const { client, crd, version } = migration;
  const byServer = await canServerMigrate(client);
  const { generation = 0 } = crd.metadata;
  const progress = { version, generation, written: 0, rejected: 0, byServer };
  await report(migration, progress, running("Waiting", "The migration begins"));
  return runningStep(migration, byServer ? "server" : "client", { after: settleTime });
}

/** Follows the migration by a controller of the API server. If that fails, the client takes over. */
async function followServer(migration: Migration, progress: Progress): Promise<MigrationStep> {
  const { client, crd, clock } = migration;
  const answer = await askServer(client, crd, clock);
  switch (answer.state) {
    case "running":
      await report(migration, progress, running("Migrating", answer.message));
      return runningStep(migration, "server", { after: serverInterval });
    case "failed": {
      // That controller ends at the first object that it cannot write. The client writes all others, and names that object.
      const why = running("Migrating", "The migration by the server failed");
      await report(migration, { ...progress, byServer: false }, why);
      return runningStep(migration, "client", { after: 1 });
    }
    case "succeeded":
      return finish(migration, "server", 0, 0);
  }
}

async function writePage(migration: Migration, progress: Progress): Promise<MigrationStep> {
  const { client, clock, crd, version, objectsPerSecond } = migration;
  const begun = clock.monotonic();
  const pageSize = Math.max(1, Math.min(longestPage, Math.round(objectsPerSecond)));
  const kind = kindOf(crd, version);
  const page = await listPage(client, kind, pageSize, progress.continue);
  const errors = await writeAgain(client, kind, page.items);
  const next = afterPage(progress, page, errors);
  const { written, rejected, why } = next;
  const writtenNow = written - progress.written;
  if (page.continue !== undefined) {
    const total = page.remaining === undefined ? undefined : written + rejected + page.remaining;
    const message = `${written} of ${total ?? "unknown"} objects are stored in ${version}`;
    await report(migration, next, running("Migrating", message));
    const pause = (page.items.length / objectsPerSecond) * 1000 - (clock.monotonic() - begun);
    return runningStep(migration, "client", { written, writtenNow, total, after: Math.max(1, pause) });
  }
  if (rejected === 0) return finish(migration, "client", written, writtenNow);
  const message = `${rejected} ${rejected === 1 ? "object" : "objects"} can't be stored in ${version}: ${why}`;
  await report(migration, undefined, running("Rejected", message));
  return { state: "rejected", version, writtenNow, count: rejected, message };
}

/** Returns the progress after a page, some of whose objects were rejected. */
function afterPage(progress: Progress, page: Page, errors: readonly string[]): Progress {
  return {
    ...progress,
    written: progress.written + page.items.length - errors.length,
    rejected: progress.rejected + errors.length,
    why: progress.why ?? errors[0],
    continue: page.continue,
  };
}

function runningStep(
  { version }: Migration,
  by: Writer,
  step: { written?: number; writtenNow?: number; total?: number | undefined; after: number },
): MigrationStep {
  const { written = 0, writtenNow = 0, total, after } = step;
  return { state: "running", version, by, written, writtenNow, total, after };
}

/** Removes the other versions from `status.storedVersions`, unless the CRD has changed since it was read. */
async function finish(
  migration: Migration,
  by: Writer,
  written: number,
  writtenNow: number,
): Promise<MigrationStep> {
  const { version } = migration;
  const message = `All objects are stored in ${version}`;
  await report(migration, undefined, { status: "True", reason: "Migrated", message }, [version]);
  return { state: "migrated", version, by, written, writtenNow };
}

/** The condition of a CRD that tells people, and `kubectl wait`, about the migration. */
const migratedCondition = "StorageMigrated";
const progressAnnotation = "tsbuilder.dev/storage-migration";

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

/**
 * Writes the progress and the condition in one request: a write of a CRD's status takes annotations, too. Throws a conflict if
 * the CRD has changed since it was read.
 */
async function report(
  { client, crd, clock }: Migration,
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

/** Returns the kind in its storage version, or in another version if that is not served. Its objects have only metadata. */
function kindOf({ spec }: CRD, storage: string): Kind<KubernetesObject, NamespacedName> {
  const { group, names, scope } = spec;
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ name }) => name === storage) ?? served[0];
  if (!version) throw new TerminalError(`no version of ${names.plural}.${group} is served`);
  const definition = { kind: names.kind, plural: names.plural, scope: scope as "Namespaced" };
  return metadataOnly(defineKind<KubernetesObject>({ group, version: version.name }, definition));
}
