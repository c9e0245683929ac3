import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { TsbuilderError } from "./errors.ts";

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

/** Writes a file that only its owner may read, also in the place of one that others may read. */
export function writePrivate(file: string, content: string): void {
  // The mode of a write only applies to a new file. Devices and pipes keep theirs: /dev/null is everybody's.
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) chmodSync(file, privateMode);
  writeFileSync(file, content, { mode: privateMode });
}

const privateMode = 0o600;

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

/**
 * Calls the file system for one file, which its errors then name: those of reading and writing name none, and those of
 * moving a file name where it came from.
 */
export function atFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) Object.assign(error, { path: file });
    throw error;
  }
}

/** Whether a path is a folder or below it, by their names alone: links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
