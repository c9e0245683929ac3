import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package of the running tsbuilder. */
export interface OwnPackage {
  readonly folder: string;
  readonly version: string;
  /** True if it was packed for a registry: only then may a registry be asked for our names. */
  readonly isReleased: boolean;
}

/** Finds the package of the running tsbuilder: in the repository, or where npm installed it. */
export function findOwnPackage(): OwnPackage {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isTsbuilder(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("package.json of tsbuilder not found");
    folder = parent;
  }
  const manifest = readManifest(folder);
  return { folder, version: manifest.version, isReleased: isReleased(manifest) };
}

/** Returns whether tsbuilder's `package.json` was packed for a registry. */
export function isReleased({ tsbuilder }: { readonly tsbuilder?: unknown }): boolean {
  return (tsbuilder as { readonly released?: unknown } | undefined)?.released === true;
}

function isTsbuilder(folder: string): boolean {
  return existsSync(join(folder, "package.json")) && readManifest(folder).name === "tsbuilder";
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  /** Present, with `released`, in a package that was packed for a registry. */
  readonly tsbuilder?: unknown;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
