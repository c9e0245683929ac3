import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { atFile } from "../shared/files.ts";
import { withLineEndsOf } from "../shared/text.ts";
import type { FileChange, Ownership } from "./file-change.ts";

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
        .filter((path) => isBelow(path, folder) && !isLeftOut(path))
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
      else if (isBelow(path, folder) && !isLeftOut(path)) paths.add(path);
    }
    return [...paths].sort();
  }

  write(path: string, content: string | Uint8Array, ownership: Ownership = "yours"): void {
    this.#pending.set(path, { content, ownership });
  }

  remove(path: string): void {
    this.#pending.set(path, { content: undefined, ownership: "yours" });
  }

  /** Drops the change of a file. */
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

function walk(root: string, folder: string, leaveOut = isLeftOut): string[] {
  const entries = unlessMissing(() => readdirSync(join(root, folder), { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return leaveOut(`${path}/`) ? [] : walk(root, path, leaveOut);
    return entry.isFile() ? [path] : [];
  });
}

/**
 * Checks first whether the file exists, since an error takes longer. Editors may replace a file or folder at any
 * moment, so that the read may fail all the same.
 */
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

const isLeftOut = (path: string): boolean => /(?:^|\/)(?:node_modules|dist|vendor|\.[^/]+)\//u.test(path);

const isBelow = (path: string, folder: string): boolean =>
  folder === "" || folder === "." || path.startsWith(`${folder}/`);
