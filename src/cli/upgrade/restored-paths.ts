import { existsSync } from "node:fs";
import { join, posix, sep } from "node:path";
import type { FileChange } from "../../scaffold/file-change.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { isInside } from "../../shared/is-inside.ts";

/** Tells which files are to stay as they are. Refuses paths that neither the project nor the new version has. */
export function readRestored(
  root: string,
  given: readonly string[],
  after: readonly FileChange[],
): (path: string) => boolean {
  const paths = given.map((path) => posix.normalize(path.split(sep).join("/")).replace(/\/$/u, ""));
  const unknown = paths.findIndex(
    (path) => !isInProject(root, path) && !after.some((change) => isBelow(change.path, path)),
  );
  if (unknown !== -1) {
    throw new TsbuilderError(`no file of the project is at or below "${given[unknown]}"`, {
      code: "INVALID_ARGUMENT",
      hint: "--restore-path takes files and folders, relative to the folder of PROJECT",
    });
  }
  return (path) => paths.some((folder) => isBelow(path, folder));
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function isInProject(root: string, path: string): boolean {
  const file = join(root, path);
  return path !== "." && isInside(root, file) && existsSync(file);
}
