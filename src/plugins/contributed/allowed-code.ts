import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import { type Fact, isKnown, remember } from "../../shared/known-facts.ts";
import { quoteWord } from "../../shared/text.ts";
import type { FoundPackage } from "./find-package.ts";
import { messageOf, pluginError } from "./plugin-error.ts";

/** The code of a package in a project, or in a folder above it. */
export type PackageCode = Pick<FoundPackage, "name" | "folder"> & Partial<Pick<FoundPackage, "entry">>;

/**
 * The error for a package that `PROJECT` names, or that is installed, and whose code the user has not allowed to run.
 */
export class CodeNotAllowedError extends TsbuilderError {
  readonly source: string;
  readonly found: PackageCode;

  constructor(source: string, found: PackageCode) {
    super(`the code of "${source}" in "${found.folder}" may not run before you allow it`, {
      code: "CODE_NOT_ALLOWED",
      hint: `it may have come with the project: look at it, and allow it until one of its files changes: tsbuilder plugins allow ${quoteWord(source)}`,
    });
    this.source = source;
    this.found = found;
  }
}

/**
 * Returns whether the user has allowed a package's code to run, in this folder and with this content. Neither `PROJECT`
 * nor `node_modules` is evidence: a clone can contain both.
 */
export function isAllowed(found: PackageCode): boolean {
  return isKnown(factOf(found));
}

/**
 * Remembers that the user has allowed a package's code, until one of its files changes. Returns the reason if it can
 * only be remembered in this process.
 */
export function allow(found: PackageCode): string | undefined {
  return remember(factOf(found))?.reason;
}

export function requireAllowed(source: string, found: PackageCode): void {
  if (!isAllowed(found)) throw new CodeNotAllowedError(source, found);
}

function factOf({ name, folder, entry }: PackageCode): Fact {
  try {
    return ["allowed", folder, contentOf(folder, entry)];
  } catch (cause) {
    throw pluginError(name, `its files can't be read: ${messageOf(cause)}`, {
      hint: "install it again, or change the permissions of its files",
      cause,
    });
  }
}

/**
 * Returns a hash of a package's files. Omits the `node_modules` of an installed package, which are other packages; a
 * folder in a repository was cloned with all that it contains.
 */
function contentOf(folder: string, entry: string | undefined): string {
  const leftOut = folder.split(sep).includes("node_modules") ? [".git", "node_modules"] : [".git"];
  const hash = createHash("sha256");
  const add = (kind: "file" | "link" | "entry", name: string, content: string | Uint8Array): void =>
    void hash.update(`${kind} ${JSON.stringify(name)} ${Buffer.byteLength(content)}\n`).update(content);
  const walk = (below: string): void => {
    const entries = readdirSync(join(folder, below), { withFileTypes: true });
    for (const one of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === "" ? one.name : `${below}/${one.name}`;
      if (one.isSymbolicLink()) add("link", path, readlinkSync(join(folder, path)));
      else if (one.isFile()) add("file", path, readFileSync(join(folder, path)));
      else if (one.isDirectory() && !leftOut.includes(path)) walk(path);
    }
  };
  walk("");
  // The entry may be in a folder that is left out.
  if (entry !== undefined) add("entry", relative(folder, entry), readFileSync(entry));
  return hash.digest("hex");
}
