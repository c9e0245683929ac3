import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "@tsbuilder/apimachinery/time";
import type { KubeconfigFile } from "@tsbuilder/runtime/advanced";
import { TsbuilderError } from "../../shared/errors.ts";
import { type ClusterChoice, readContext } from "./kubectl.ts";

export interface StorageMigration extends ClusterChoice {
  /** The names of CRDs. */
  readonly crds: readonly string[];
  readonly objectsPerSecond: number;
  /** Called when a step is done that took its time. */
  readonly onProgress: (line: string) => void;
}

/** Milliseconds between two reports, and before a step that failed is repeated. */
const reportEvery = 2000;
const retryAfter = 2000;
/** How often a step may fail in succession: a webhook that converts may be starting. */
const maxFailures = 30;

/** Stores the objects of CRDs again in their storage versions, one CRD after another. Returns a line about each. */
export async function migrateStorage(migration: StorageMigration): Promise<string[]> {
  const { ApiError, createClient, loadConfig } = await import("@tsbuilder/runtime");
  const { stepMigration } = await import("@tsbuilder/runtime/advanced");
  const { crds, objectsPerSecond, onProgress } = migration;
  const kubeconfig = await readContext<KubeconfigFile>(migration, "--raw", "--flatten");
  const client = createClient(await loadConfig({ kubeconfig }), { fieldManager: "tsbuilder" });

  async function migrate(crd: string): Promise<string> {
    let reported = performance.now();
    for (let failures = 0; ;) {
      try {
        const step = await stepMigration(client, crd, systemClock, { objectsPerSecond });
        failures = 0;
        if (step.state === "migrated") {
          const written = step.written > 0 ? `: ${step.written} were stored again` : "";
          return `${crd}: all objects are stored in ${step.version}${written}`;
        }
        if (step.state === "rejected")
          throw new TsbuilderError(`${crd}: ${step.message}`, {
            code: "REFUSED",
            hint: "change what rejects them, or the objects, and migrate again: the others are stored already",
          });
        if (step.written > 0 && performance.now() - reported >= reportEvery) {
          reported = performance.now();
          const total = step.total === undefined ? "" : ` of about ${step.total}`;
          onProgress(`${crd}: ${step.written}${total} objects are stored in ${step.version}`);
        }
        await delay(step.after);
      } catch (error) {
        if (error instanceof ApiError && error.isNotFound) return `${crd}: the cluster doesn't have it`;
        const isPassing = error instanceof ApiError && (error.isConflict || error.status >= 500);
        if (!isPassing || ++failures > maxFailures) throw error;
        if (!error.isConflict) onProgress(`${crd}: ${error.message}; trying again`);
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
