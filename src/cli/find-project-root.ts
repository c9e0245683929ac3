import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectFile } from "../project/store.ts";

/** The nearest folder, upwards, with a `PROJECT` file or an interrupted write of one. */
export function findProjectRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (statSync(join(folder, projectFile), { throwIfNoEntry: false })?.isFile()) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
