import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "@tsbuilder/apimachinery/time";
import type { KubeconfigFile } from "@tsbuilder/runtime/advanced";
import { TsbuilderError } from "../../shared/errors.ts";
import { count } from "../../shared/text.ts";
import { type ClusterChoice, readContext } from "./kubectl.ts";

export interface StorageMigration extends ClusterChoice {
  /** The names of CRDs. */
  readonly crds: readonly string[];
  readonly objectsPerSecond: number;
  /** Called after each step of this client's own migration. `total` is the server's estimate. */
  readonly onProgress: (progress: MigrationProgress) => void;
  /** Called with a line about what else happens. */
  readonly onNote: (line: string) => void;
}

export interface MigrationProgress {
  readonly crd: string;
  /** The storage version. */
  readonly version: string;
  readonly written: number;
  readonly total: number | undefined;
}

/** Milliseconds before a step that failed is repeated. */
const retryAfter = 2000;
/** How often a step may fail in succession: a conversion webhook may be starting. */
const maxFailures = 30;

/** Stores the objects of CRDs again in their storage versions, one CRD after another. Returns a line about each. */
export async function migrateStorage(migration: StorageMigration): Promise<string[]> {
  const { ApiError, createClient, loadConfig } = await import("@tsbuilder/runtime");
  const { stepMigration } = await import("@tsbuilder/runtime/advanced");
  const { crds, objectsPerSecond, onProgress, onNote } = migration;
  const kubeconfig = await readContext<KubeconfigFile>(migration, "--raw", "--flatten");
  const client = createClient(await loadConfig({ kubeconfig }), { fieldManager: "tsbuilder" });

  async function migrate(crd: string): Promise<string> {
    let isServerNoted = false;
    for (let failures = 0; ;) {
      try {
        const step = await stepMigration(client, crd, systemClock, { objectsPerSecond });
        failures = 0;
        const { version } = step;
        switch (step.state) {
          case "current":
            return `${crd}: all objects are stored in ${version}`;
          case "migrated": {
            const how =
              step.by === "server"
                ? "the API server stored them again"
                : `${count(step.written, "object")} stored again`;
            return `${crd}: all objects are stored in ${version}: ${how}`;
          }
          case "rejected":
            throw new TsbuilderError(`${crd}: ${step.message}`, {
              code: "REFUSED",
              hint: "change what rejects them, or the objects, and migrate again: the others are stored already",
            });
          case "running":
            if (step.by === "client" && step.written > 0)
              onProgress({ crd, version, written: step.written, total: step.total });
            if (step.by === "server" && !isServerNoted)
              onNote(`${crd}: the API server stores the objects again`);
            isServerNoted = step.by === "server";
            await delay(step.after);
        }
      } catch (error) {
        if (error instanceof ApiError && error.isNotFound) return `${crd}: the cluster doesn't have it`;
        const isPassing = error instanceof ApiError && (error.isConflict || error.status >= 500);
        if (!isPassing || ++failures > maxFailures) throw error;
        if (!error.isConflict) onNote(`${crd}: ${error.message}; trying again`);
        await delay(error.isConflict ? 1 : retryAfter);
      }
    }
  }

  try {
    const lines: string[] = [];
    for (const crd of crds) lines.push(await migrate(crd));
    return lines;
  } finally {
    await client.close();
  }
}
