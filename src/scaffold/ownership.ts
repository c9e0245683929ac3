import { createHash } from "node:crypto";
import type { Draft, Tree } from "./tree.ts";

/** Where the record stands that tells later commands what the user changed since. */
export const OWNED_FILE = ".tsbuilder/owned.json";

/** What tsbuilder wrote: the hash of each file as it left our hands. */
export type OwnedFiles = ReadonlyMap<string, string>;

/** Reads the record; without one, nothing is known to be unchanged. */
export function readOwnedFiles(tree: Tree): OwnedFiles {
  const text = tree.read(OWNED_FILE);
  if (text === undefined) return new Map();
  const { files = {} } = JSON.parse(text) as { files?: Record<string, string> };
  return new Map(Object.entries(files));
}

/** Writes the record, sorted by path: same files, same bytes. */
export function formatOwnedFiles(owned: OwnedFiles): string {
  const files = Object.fromEntries([...owned].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`;
}

/** Twelve bytes of SHA-256 are plenty to notice a change. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}

/**
 * Brings the record up to date with a draft: what we wrote is known again, unless the user had changed it before, and
 * then it stays theirs.
 */
export function recordOwnedFiles(draft: Draft, owned: OwnedFiles): void {
  const next = new Map(owned);
  for (const { path, content, before, ownership } of draft.changes()) {
    if (content === undefined) next.delete(path);
    if (typeof content !== "string" || ownership === "generated" || path === "PROJECT") continue;
    const isTheirs = before !== undefined && owned.get(path) !== hashText(before);
    if (!isTheirs) next.set(path, hashText(content));
  }
  draft.write(OWNED_FILE, formatOwnedFiles(next), "generated");
}
