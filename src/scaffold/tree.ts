// The files of a project: on disk, in memory, and with pending changes on top (`Draft`); a change, and how it is shown.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Hunk, diffLines } from "../shared/diff-lines.ts";
import { atFile } from "../shared/files.ts";
import { withLineEndsOf } from "../shared/text.ts";

/** A project's files. Paths are relative to the project's root and use forward slashes. */
export interface Tree {
  /** The text of a file; undefined if it does not exist. */
  read(path: string): string | undefined;
  has(path: string): boolean;
  /** The sorted paths of all files in a folder, without `node_modules`, `dist`, `vendor` and hidden folders. */
  list(folder: string): readonly string[];
}

/** The files on disk. */
export function diskTree(root: string): Tree {
  return {
    read: (path) => readIfExists(join(root, path)),
    has: (path) => existsSync(join(root, path)),
    list: (folder) => walk(root, folder === "." ? "" : folder).sort(),
  };
}

/** Like `diskTree`, with hidden folders, for folders in which all files are tsbuilder's. */
export function everythingBelow(root: string): Tree {
  return { ...diskTree(root), list: (folder) => walk(root, folder, () => false).sort() };
}

/** Files in memory, for tests and for scaffolding from scratch. */
export function memoryTree(files: Readonly<Record<string, string>> = {}): Tree {
  return {
    read: (path) => files[path],
    has: (path) => path in files,
    list: (folder) =>
      Object.keys(files)
        .filter((path) => isBelow(path, folder) && !isExcluded(path))
        .sort(),
  };
}

/** Pending changes on top of a tree; reads return the changed files. */
export class Draft implements Tree {
  readonly #base: Tree;
  readonly #pending = new Map<string, Pending>();

  constructor(base: Tree) {
    this.#base = base;
  }

  read(path: string): string | undefined {
    const pending = this.#pending.get(path);
    if (!pending) return this.#base.read(path);
    return typeof pending.content === "string" ? pending.content : undefined;
  }

  has(path: string): boolean {
    const pending = this.#pending.get(path);
    return pending ? pending.content !== undefined : this.#base.has(path);
  }

  list(folder: string): readonly string[] {
    const paths = new Set(this.#base.list(folder));
    for (const [path, { content }] of this.#pending) {
      if (content === undefined) paths.delete(path);
      else if (isBelow(path, folder) && !isExcluded(path)) paths.add(path);
    }
    return [...paths].sort();
  }

  write(path: string, content: string | Uint8Array, ownership: Ownership = "yours"): void {
    this.#pending.set(path, { content, ownership });
  }

  remove(path: string): void {
    this.#pending.set(path, { content: undefined, ownership: "yours" });
  }

  /** Reverts the change of a file. */
  undo(path: string): void {
    this.#pending.delete(path);
  }

  /** The differences from the tree below, in the order of the first write. */
  changes(): FileChange[] {
    return [...this.#pending].flatMap(([path, { content, ownership }]): FileChange[] => {
      const exists = this.#base.has(path);
      if (content === undefined && !exists) return [];
      const before = exists && typeof content !== "object" ? this.#base.read(path) : undefined;
      const after =
        typeof content === "string" && before !== undefined ? withLineEndsOf(before, content) : content;
      if (exists && after === before) return [];
      const action = after === undefined ? "delete" : exists ? "update" : "create";
      return [{ path, action, content: after, before, ownership }];
    });
  }
}

interface Pending {
  readonly content: string | Uint8Array | undefined;
  readonly ownership: Ownership;
}

/**
 * The owner of a file. `yours`: written once, then the user's. `generated`: marked "DO NOT EDIT" and always
 * overwritten. Inserting lines at markers does not change the owner.
 */
export type Ownership = "yours" | "generated";

/** One file of a plan, at its path relative to the project's root, with forward slashes. */
export interface FileChange {
  readonly path: string;
  readonly action: "create" | "update" | "delete";
  /** The new content; undefined to delete the file. */
  readonly content: string | Uint8Array | undefined;
  /** The current content; undefined if the file is new or binary. */
  readonly before: string | undefined;
  readonly ownership: Ownership;
}

/** The changes that a command makes to the project's files, in order; computed in memory. */
export interface Plan {
  readonly changes: readonly FileChange[];
  /** Messages for the user, for example about existing files that are kept. */
  readonly notes: readonly string[];
  /** Files that are only moved, by their old paths; each is a deletion and a creation in `changes`. */
  readonly moves?: ReadonlyMap<string, string>;
}

function walk(root: string, folder: string, isExcludedFolder = isExcluded): string[] {
  const entries = unlessMissing(() => readdirSync(join(root, folder), { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return isExcludedFolder(`${path}/`) ? [] : walk(root, path, isExcludedFolder);
    return entry.isFile() ? [path] : [];
  });
}

/** Reads a file. Checks first whether it exists, since an error takes longer; it may disappear in between. */
function readIfExists(file: string): string | undefined {
  return existsSync(file) ? unlessMissing(() => atFile(file, () => readFileSync(file, "utf8"))) : undefined;
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Returns whether a path is in a folder that is no part of a project: with installed, built or hidden files. */
const isExcluded = (path: string): boolean => /(?:^|\/)(?:node_modules|dist|vendor|\.[^/]+)\//u.test(path);

const isBelow = (path: string, folder: string): boolean =>
  folder === "" || folder === "." || path.startsWith(`${folder}/`);

/** Formats a change like `diff -u` and git. */
export function formatUnifiedDiff({ path, before, content }: FileChange): string {
  if (typeof content === "object" || before?.includes("\0")) return `Binary file ${path}\n`;
  const [a, b] = [splitLines(before), splitLines(content)];
  const header = [
    `--- ${before === undefined ? "/dev/null" : `a/${path}`}`,
    `+++ ${content === undefined ? "/dev/null" : `b/${path}`}`,
  ];
  const blocks = groupHunks(diffLines(a, b)).map((hunks) => formatBlock(hunks, a, b));
  return `${[...header, ...blocks].join("\n")}\n`;
}

function splitLines(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

const context = 3;

/** Groups hunks whose context overlaps. */
function groupHunks(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last && hunk.aStart - last.aEnd <= 2 * context) groups.at(-1)!.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function formatBlock(hunks: readonly Hunk[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunks[0]!, hunks.at(-1)!];
  const aStart = Math.max(0, first.aStart - context);
  const aEnd = Math.min(a.length, last.aEnd + context);
  const bStart = first.bStart - (first.aStart - aStart);
  const bEnd = last.bEnd + (aEnd - last.aEnd);
  const lines = [`@@ -${range(aStart, aEnd)} +${range(bStart, bEnd)} @@`];
  let at = aStart;
  for (const hunk of hunks) {
    lines.push(...a.slice(at, hunk.aStart).map((line) => ` ${line}`));
    lines.push(...a.slice(hunk.aStart, hunk.aEnd).map((line) => `-${line}`));
    lines.push(...b.slice(hunk.bStart, hunk.bEnd).map((line) => `+${line}`));
    at = hunk.aEnd;
  }
  lines.push(...a.slice(at, aEnd).map((line) => ` ${line}`));
  return lines.join("\n");
}

/** Formats a range: an empty one starts at the line before it, and a range of one line omits its length. */
function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}
