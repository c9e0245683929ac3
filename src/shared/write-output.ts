import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { TsbuilderError } from "./errors.ts";
import { writePrivate } from "./write-private.ts";

/** What a file that somebody asked for is, and the flag that names it. */
export interface Output {
  readonly what: string;
  readonly flag: string;
  /** Only its owner may read it. */
  readonly isPrivate?: boolean;
}

/** Writes a file where a person wants it, and makes the folders that it lies in. */
export function writeOutput(file: string, content: string, { what, flag, isPrivate = false }: Output): void {
  try {
    makeFolder(dirname(file));
    if (isPrivate) writePrivate(file, content);
    else writeFileSync(file, content);
  } catch (error) {
    throw new TsbuilderError(`${what} cannot be written: ${(error as Error).message}`, {
      code: "REFUSED",
      hint: `give a file that you may write with ${flag}`,
      cause: error,
    });
  }
}

/**
 * Makes a folder and those above it, one by one: Node's own `recursive` never ends below a folder like `/proc`, which
 * answers that a new one's parent is not there.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Somebody else may want it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
