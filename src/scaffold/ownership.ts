import { compareText } from "@tsbuilder/apimachinery/text";
import { createHash } from "node:crypto";
import type { Draft, Tree } from "./tree.ts";

/** Where the record stands that tells later commands what the user changed since. */
export const OWNED_FILE = ".tsbuilder/owned.json";

/** Knows each file of the user's as it left our hands, by its hash, and so what they changed since. */
export class OwnedFiles {
  readonly #hashes: Map<string, string>;
  readonly #carried = new Map<string, string>();

  constructor(hashes: Iterable<readonly [string, string]> = []) {
    this.#hashes = new Map(hashes);
  }

  /** Reads the record of a project; without one, nothing is known to be ours. */
  static read(tree: Tree): OwnedFiles {
    const text = tree.read(OWNED_FILE);
    if (text === undefined) return new OwnedFiles();
    const { files = {} } = JSON.parse(text) as { files?: Record<string, string> };
    return new OwnedFiles(Object.entries(files));
  }

  /** A file that is not in the record, or differs from it, is the user's work. */
  isChanged(path: string, text: string): boolean {
    return this.#hashes.get(path) !== hashText(text);
  }

  /** We changed a file on the way: its place, an import, a line at a marker. That is no change of the user's. */
  carry(from: string, to: string, textBefore: string, textAfter: string): void {
    const hash = this.isChanged(from, textBefore) ? this.#hashes.get(from) : hashText(textAfter);
    this.#hashes.delete(from);
    if (hash !== undefined) this.#hashes.set(to, hash);
    this.#carried.set(to, textAfter);
  }

  /** Takes note of a draft: what we write is known again, unless the user had changed it, and then it stays theirs. */
  record(draft: Draft): void {
    for (const { path, content, before, ownership } of draft.changes()) {
      if (content === undefined) this.#hashes.delete(path);
      if (typeof content !== "string" || ownership === "generated") continue;
      const was = this.#carried.get(path) ?? before;
      if (was === undefined || !this.isChanged(path, was)) this.#hashes.set(path, hashText(content));
    }
    draft.write(OWNED_FILE, this.#format(), "generated");
  }

  /** Sorted by path: same files, same bytes. */
  #format(): string {
    const files = Object.fromEntries([...this.#hashes].sort(([a], [b]) => compareText(a, b)));
    return `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`;
  }
}

/** Twelve bytes of SHA-256 are plenty to notice a change. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
