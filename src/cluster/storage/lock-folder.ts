import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "@tsbuilder/apimachinery/lock";

/** Another cluster uses the folder. */
export class FolderInUseError extends Error {
  override readonly name = "FolderInUseError";
  readonly code = "ELOCKED";
  readonly path: string;

  constructor(path: string, holder: number) {
    super(`the process ${holder} keeps its objects in "${path}"`);
    this.path = path;
  }
}

/** Locks a folder until the returned function is called or this process ends. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = tryLock(join(folder, "lock"));
  if (lock.heldBy) throw new FolderInUseError(folder, lock.heldBy.pid);
  return lock.release;
}
