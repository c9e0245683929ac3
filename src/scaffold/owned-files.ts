import { createHash } from "node:crypto";
import { isObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { readJsonObject } from "../shared/read-json.ts";
import { withPlainLineEnds } from "../shared/text.ts";
import type { Draft, Tree } from "./tree.ts";

/** The file with the hashes of the files that tsbuilder wrote. */
export const ownedFile = ".tsbuilder/owned.json";

/** The hashes of the files that tsbuilder wrote for the user: a file with another hash was edited. */
export class OwnedFiles {
  readonly #hashes: Map<string, string>;
  readonly #carried = new Map<string, string>();

  constructor(hashes: Iterable<readonly [string, string]> = []) {
    this.#hashes = new Map(hashes);
  }

  /** Reads a project's record; without one, every file counts as edited. */
  static read(tree: Tree): OwnedFiles {
    const text = tree.read(ownedFile);
    if (text === undefined) return new OwnedFiles();
    const hint = "restore it from version control; without it, every file counts as edited by you";
    const { files } = readJsonObject(ownedFile, text, hint);
    return new OwnedFiles(Object.entries(isObject(files) ? (files as Record<string, string>) : {}));
  }

  paths(): string[] {
    return [...this.#hashes.keys()];
  }

  /** Returns whether the user edited a file: it is not in the record, or differs from it. */
  isChanged(path: string, text: string): boolean {
    return this.#hashes.get(path) !== hashText(text);
  }

  /** Carries the record of a file along with a change by tsbuilder: a move, an import, an inserted line. */
  carry(from: string, to: string, textBefore: string, textAfter: string): void {
    const hash = this.isChanged(from, textBefore) ? this.#hashes.get(from) : hashText(textAfter);
    this.#hashes.delete(from);
    if (hash !== undefined) this.#hashes.set(to, hash);
    this.#carried.set(to, textAfter);
  }

  /** Records a draft's files, unless edited before. `edited` has their texts from before executables changed them. */
  record(draft: Draft, edited: ReadonlyMap<string, string> = new Map()): void {
    for (const { path, content, before, ownership } of draft.changes()) {
      if (content === undefined) this.#hashes.delete(path);
      if (typeof content !== "string" || ownership === "generated") continue;
      const previous = this.#carried.get(path) ?? before;
      if (previous === undefined || !this.isChanged(path, previous))
        this.#hashes.set(path, hashText(edited.get(path) ?? content));
    }
    draft.write(ownedFile, this.#format(), "generated");
  }

  /** Sorted by path, to be deterministic. */
  #format(): string {
    const files = Object.fromEntries([...this.#hashes].sort(([a], [b]) => compareText(a, b)));
    return `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`;
  }
}

/** Hashes a text, without regard to line ends. Twelve bytes of SHA-256 are enough to detect edits. */
export function hashText(text: string): string {
  return createHash("sha256").update(withPlainLineEnds(text)).digest("hex").slice(0, 24);
}
