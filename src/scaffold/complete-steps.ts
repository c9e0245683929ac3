import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { atFile } from "../shared/at-file.ts";

/** A staged file to move to a path, or a path to delete. */
export interface Step {
  readonly path: string;
  readonly staged: string | undefined;
  /** A copy of the file that the step replaces or deletes. */
  readonly old?: string | undefined;
}

/** Every step is idempotent: after its rename, a staged file no longer exists. Returns the topmost folder that it made. */
export function completeStep(root: string, { path, staged }: Step): string | undefined {
  const target = join(root, path);
  return atFile(target, () => {
    if (staged === undefined) {
      if (existsSync(target)) unlinkSync(target);
      removeEmptyParents(root, target);
    } else if (existsSync(join(root, staged))) {
      const made = mkdirSync(dirname(target), { recursive: true });
      // A link stays one: what it leads to is replaced.
      renameSync(join(root, staged), existsSync(target) ? realpathSync(target) : target);
      return made;
    }
    return undefined;
  });
}

/** Undoes a step, if it was completed. Whoever is killed meanwhile has left what `completeStep` needs. */
export function undoStep(root: string, { path, staged, old }: Step): void {
  const target = join(root, path);
  if (staged !== undefined) {
    if (existsSync(join(root, staged))) return;
    const file = realpathSync(target);
    renameSync(file, join(root, staged));
    if (old !== undefined) renameSync(join(root, old), file);
  } else if (old !== undefined && !existsSync(target)) {
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(root, old), target);
  }
}

/** Removes a folder and those in it, as far as they hold no files. */
export function removeEmptyBelow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyBelow(join(folder, entry.name));
  removeIfEmpty(folder);
}

export function removeIfEmpty(folder: string): boolean {
  if (existsSync(folder) && readdirSync(folder).length > 0) return false;
  if (existsSync(folder)) rmdirSync(folder);
  return true;
}

function removeEmptyParents(root: string, file: string): void {
  for (let folder = dirname(file); folder.length > root.length; folder = dirname(folder)) {
    if (!removeIfEmpty(folder)) return;
  }
}
