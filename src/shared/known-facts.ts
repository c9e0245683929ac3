import { createHash } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NoFolder, openStateHome } from "./own-folder.ts";

/**
 * A fact that holds for this user on this machine: tsbuilder wrote this journal, the user allowed this plugin. Facts
 * are files outside of all projects, named by a hash of the fact, so that a clone can't contain one.
 */
export type Fact = readonly [about: "allowed" | "journal" | "kubeconfig", place: string, content: string];

/** The names of facts that hold only until this process ends. */
const unwritten = new Set<string>();

/** Remembers a fact. If no file can be written, it holds until this process ends, and the reason is returned. */
export function remember(fact: Fact): NoFolder | undefined {
  const file = fileOf(fact, { make: true });
  try {
    if (typeof file !== "string") throw new Error(file.reason);
    // For people who look into the folder: only the name counts.
    writeFileSync(file, `${fact[0]} ${fact[1]}\n`, { mode: 0o600 });
    return undefined;
  } catch (error) {
    unwritten.add(nameOf(fact));
    return { reason: (error as Error).message };
  }
}

/** Returns whether a fact was remembered, and not forgotten since. */
export function isKnown(fact: Fact): boolean {
  const file = fileOf(fact);
  return unwritten.has(nameOf(fact)) || (typeof file === "string" && existsSync(file));
}

export function forget(fact: Fact): void {
  const file = fileOf(fact);
  unwritten.delete(nameOf(fact));
  if (typeof file === "string") rmSync(file, { force: true });
}

function fileOf(fact: Fact, { make } = { make: false }): string | NoFolder {
  const folder = openStateHome("known", process.env, { make });
  return typeof folder === "string" ? join(folder, nameOf(fact)) : folder;
}

const nameOf = (fact: Fact): string => createHash("sha256").update(JSON.stringify(fact)).digest("hex");
