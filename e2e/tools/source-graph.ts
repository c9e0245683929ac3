import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { listSources, readImports, repository, type SourceImport } from "../support/source-imports.ts";

/** Each of our sources, and its imports of our files, by path or by package name. */
export function readSourceGraph(): Map<string, string[]> {
  const files = [...listSources("src"), ...listSources("e2e")];
  return new Map(files.map((file) => [file, readImports(file).flatMap((entry) => findTarget(entry))]));
}

function findTarget({ specifier, target }: SourceImport): string[] {
  if (target !== undefined) return [target];
  if (!specifier.startsWith("@tsbuilder/")) return [];
  try {
    // Run with the export condition for sources.
    return [relative(repository, realpathSync(fileURLToPath(import.meta.resolve(specifier))))];
  } catch {
    // The type check reports unresolved imports.
    return [];
  }
}

/** Vitest's record of how many milliseconds each test file took last time; empty on a fresh clone. */
export function readTestCosts(): Map<string, number> {
  const cache = join(repository, "node_modules/.vite/vitest");
  const costs = new Map<string, number>();
  for (const folder of readFolder(cache)) {
    const { results } = JSON.parse(readFileSync(join(cache, folder, "results.json"), "utf8")) as {
      results: [test: string, result: { duration: number }][];
    };
    for (const [test, { duration }] of results) costs.set(test.replace(/^\w*:/, ""), duration);
  }
  return costs;
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
