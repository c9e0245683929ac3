import { statSync } from "node:fs";
import { TsbuilderError } from "../shared/errors.ts";

/** Throws if a bundle is not the folder that was written on the command line. */
export function requireBundle(folder: string, written: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new TsbuilderError(`"${written}" is not a folder`, {
    code: "NOT_FOUND",
    hint: "name the folder of a bundle, with manifests/ and metadata/ in it; for an image, copy its files into a folder first",
  });
}
