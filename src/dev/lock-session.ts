import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readLock, tryLock } from "@tsbuilder/apimachinery/lock";
import { TsbuilderError } from "../shared/errors.ts";

/**
 * Locks a project's folder for one session. Returns a function that releases the lock. A second session would write the
 * same bundle, kubeconfigs and persisted objects. The lock of a killed session is released automatically.
 */
export function lockSession(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const lock = tryLock(lockOf(folder), "tsbuilder dev");
  if (!lock.heldBy) return lock.release;
  const { pid } = lock.heldBy;
  throw new TsbuilderError(`tsbuilder dev is already running in this project, as process ${pid}`, {
    code: "REFUSED",
    hint: `use it, or stop it: kill ${pid}`,
  });
}

/** Whether a session is running in a project's folder. */
export function isSessionRunning(folder: string): boolean {
  return readLock(lockOf(folder)) !== undefined;
}

function lockOf(folder: string): string {
  return join(folder, "pid");
}
