import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { TsbuilderError } from "./errors.ts";

/** How messages name a file that a command writes. */
export interface Output {
  /** The subject of a sentence: `the report`. */
  readonly what: string;
  /** The flag that sets the file's path. */
  readonly flag: string;
  /** Only its owner may read it. */
  readonly isPrivate?: boolean;
}

/** Writes a file to a path that the user gave, and creates its folders. */
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

const privateMode = 0o600;

/** Writes a file that only its owner may read, also if the present file is readable by others. */
export function writePrivate(file: string, content: string): void {
  // The mode of a write only applies to a new file. Devices and pipes keep theirs: all users need /dev/null.
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) chmodSync(file, privateMode);
  writeFileSync(file, content, { mode: privateMode });
}

/**
 * Creates a folder and those above it, one by one: Node's own `recursive` never ends below a folder like `/proc`, which
 * reports that a new folder's parent does not exist.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Another process may create it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Calls the file system for one file, and sets that path on its errors: errors of reading and writing have none, and
 * those of a rename have its source.
 */
export function atFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) Object.assign(error, { path: file });
    throw error;
  }
}

/** Returns whether a path is a folder or below it, by the paths alone: links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== ".." && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}
