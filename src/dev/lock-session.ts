import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "@tsbuilder/apimachinery/lock";
import { TsbuilderError } from "../shared/errors.ts";

/**
 * Takes a project's folder for one session, and returns what releases it. A second one would write the same bundle,
 * kubeconfigs and kept objects. What a killed session left is taken over.
 */
export function lockSession(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const lock = tryLock(join(folder, "pid"), "tsbuilder dev");
  if (!lock.heldBy) return lock.release;
  const { pid } = lock.heldBy;
  throw new TsbuilderError(`tsbuilder dev runs in this project already, as process ${pid}`, {
    code: "REFUSED",
    hint: `use that one, or end it: kill ${pid}`,
  });
}
