import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeReexports, writeTypeModules } from "./write-type-modules.ts";
import { readReleases, writeTables } from "./write-tables.ts";
import { addDescriptions } from "./descriptions.ts";
import { readModel } from "./model.ts";
import { buildResources } from "./build-resources.ts";

/**
 * `npm run lab -- tables`: generates the tables of built-in kinds and their TypeScript types from `facts` and the
 * descriptions in two npm packages. Offline and deterministic; the output is not committed, because it contains
 * Kubernetes' own descriptions.
 */
const root = fileURLToPath(new URL("../../../..", import.meta.url));
const resources = buildResources();
const model = addDescriptions(join(root, "node_modules"), readModel());

writeFolder(join(root, "src/apimachinery/kinds/generated"), writeTables(model, readReleases()));
writeFolder(join(root, "src/apimachinery/k8s"), writeTypeModules(model, resources));
writeFolder(join(root, "src/runtime/k8s"), writeReexports(model));

/** Writes files unless they are up to date, so that compilers and watchers see no change; removes obsolete files. */
function writeFolder(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".ts") && !files.has(name)) rmSync(join(folder, name));
  }
  for (const [name, content] of files) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path, "utf8") === content) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
