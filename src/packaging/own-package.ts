import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the running tsbuilder: the repository, or npm's installation folder. */
export function findOwnPackage(): { folder: string; version: string } {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isTsbuilder(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("package.json of tsbuilder not found");
    folder = parent;
  }
  return { folder, version: readManifest(folder).version };
}

function isTsbuilder(folder: string): boolean {
  return existsSync(join(folder, "package.json")) && readManifest(folder).name === "tsbuilder";
}

function readManifest(folder: string): { name: string; version: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name: string; version: string };
}
