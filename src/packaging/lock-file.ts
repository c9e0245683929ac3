import { compareText } from "@tsbuilder/apimachinery/text";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findOwnPackage } from "./own-package.ts";
import type { Tarball } from "./pack.ts";

/** The lock files that `npm run lab -- locks` writes anew, by their package managers. */
const templates = new Map([
  ["npm", { file: "npm.json", complete: completeNpm }],
  ["pnpm", { file: "pnpm-lock.yaml", complete: (text: string) => text }],
  ["yarn", { file: "yarn.lock", complete: sortEntries }],
  ["bun", { file: "bun.lock", complete: (text: string) => text }],
]);

/**
 * The lock file of a new project: the tree that our own tests installed, so that a project installs what was tested,
 * however many newer versions a registry has by then. `templates/locks` holds it without what differs between projects
 * and between builds of tsbuilder.
 */
export function formatLock(
  manager: string,
  projectName: string,
  own: ReadonlyMap<string, LockedPackage>,
): string {
  const { file, complete } = templates.get(manager)!;
  const template = readFileSync(join(findOwnPackage().folder, "templates/locks", file), "utf8");
  const filled = template.replaceAll(/\{\{(\S+) (\w+)\}\}/gu, (word, name: string, field: string) => {
    if (name === "project") return projectName;
    const locked = own.get(name);
    if (locked === undefined) throw new Error(`templates/locks/${file} has an unknown word ${word}`);
    return locked[field as keyof LockedPackage] ?? "";
  });
  return complete(filled, projectName);
}

/** npm's template has a line for each package, and empty texts where a build of tsbuilder has nothing to say. */
function completeNpm(filled: string, projectName: string): string {
  const packages = JSON.parse(filled, (_key, value: unknown) =>
    value === "" ? undefined : value,
  ) as Packages;
  const { version } = packages[""]!;
  const lock = { name: projectName, version, lockfileVersion: 3, requires: true, packages };
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

type Packages = Readonly<Record<string, { readonly version: string }>>;

/** Yarn wants its entries sorted, and the project is one of them. */
function sortEntries(filled: string): string {
  const [about = "", metadata = "", ...entries] = filled.trimEnd().split("\n\n");
  const keyOf = (entry: string): string => entry.slice(0, entry.indexOf("\n")).replaceAll(/"|:$/gu, "");
  const sorted = entries.toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
  return `${[about, metadata, ...sorted].join("\n\n")}\n`;
}

/** What a lock file says of one of our packages. */
export interface LockedPackage {
  readonly version: string;
  /** What the `package.json` of a project says. */
  readonly specifier: string;
  /** What our other packages say. */
  readonly sibling: string;
  /** Undefined for packages of a registry: which one is the user's choice, as it is for all others. */
  readonly resolved?: string;
  /** Undefined for packages of a registry: a package can't hold its own hash. */
  readonly integrity?: string;
}

/** A tarball in a project's `vendor/`. */
export function lockVendored({ version, fileName, bytes }: Tarball): LockedPackage {
  const path = `file:vendor/${fileName}`;
  const integrity = integrityOf(bytes);
  return { version, specifier: path, sibling: `file:./${fileName}`, resolved: path, integrity };
}

/** The hash of a tarball as lock files write it. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}
