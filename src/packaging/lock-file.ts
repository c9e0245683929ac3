import { compareText } from "@tsbuilder/apimachinery/text";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findOwnPackage } from "./own-package.ts";
import type { Tarball } from "./pack.ts";

/** The templates of lock files and their completion, by package manager. `npm run lab -- locks` writes the templates. */
const templates = new Map([
  ["npm", { file: "npm.json", complete: completeNpm }],
  ["pnpm", { file: "pnpm-lock.yaml", complete: (text: string) => text }],
  ["yarn", { file: "yarn.lock", complete: sortEntries }],
  ["bun", { file: "bun.lock", complete: (text: string) => text }],
]);

/**
 * Returns the lock file of a new project. It names the versions that our own tests installed, however many newer ones a
 * registry has by then. The templates in `templates/locks` have gaps for everything that differs between projects and
 * between builds of tsbuilder; those for projects with further packages are in a folder that these name.
 */
export function formatLock(
  manager: string,
  projectName: string,
  ownPackages: ReadonlyMap<string, LockedPackage>,
  furtherPackages: readonly string[] = [],
): string {
  const { file, complete } = templates.get(manager)!;
  const folder = join(findOwnPackage().folder, "templates/locks", ...furtherPackages);
  const template = readFileSync(join(folder, file), "utf8");
  const filled = template.replaceAll(/\{\{(\S+) (\w+)\}\}/gu, (gap, name: string, field: string) => {
    if (name === "project") return projectName;
    const locked = ownPackages.get(name);
    if (locked === undefined) throw new Error(`templates/locks/${file} has an unknown word ${gap}`);
    return locked[field as keyof LockedPackage] ?? "";
  });
  return complete(filled, projectName);
}

type Packages = Readonly<Record<string, { readonly version: string }>>;

/** Completes npm's template: fields that a build of tsbuilder leaves empty are removed. */
function completeNpm(filled: string, projectName: string): string {
  const packages = JSON.parse(filled, (_key, value: unknown) =>
    value === "" ? undefined : value,
  ) as Packages;
  const { version } = packages[""]!;
  const lock = { name: projectName, version, lockfileVersion: 3, requires: true, packages };
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

/** Sorts the entries of Yarn's lock file, one of which is the project. */
function sortEntries(filled: string): string {
  const [comment = "", metadata = "", ...entries] = filled.trimEnd().split("\n\n");
  const keyOf = (entry: string): string => entry.slice(0, entry.indexOf("\n")).replaceAll(/"|:$/gu, "");
  const sorted = entries.toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
  return `${[comment, metadata, ...sorted].join("\n\n")}\n`;
}

/** The entry of one of our packages in a lock file. */
export interface LockedPackage {
  readonly version: string;
  /** The specifier in the `package.json` of a project. */
  readonly specifier: string;
  /** The specifier in the `package.json` of our other packages. */
  readonly sibling: string;
  /** Undefined for packages of a registry: which one is the user's choice, as it is for all others. */
  readonly resolved?: string;
  /** Undefined for packages of a registry: a package can't hold its own hash. */
  readonly integrity?: string;
}

/** Makes the entry of a tarball in a project's `vendor/`. */
export function lockVendored({ version, fileName, bytes }: Tarball): LockedPackage {
  const path = `file:vendor/${fileName}`;
  const integrity = integrityOf(bytes);
  return { version, specifier: path, sibling: `file:./${fileName}`, resolved: path, integrity };
}

/** Returns the hash of a tarball in the form of lock files. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}
