import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { listSources, readImports, repository, type SourceImport } from "../support/source-imports.ts";

/** Each of our sources, and which of ours it imports, by path or by a package's name. */
export function readSourceGraph(): Map<string, string[]> {
  const files = [...listSources("src"), ...listSources("e2e")];
  return new Map(files.map((file) => [file, readImports(file).flatMap((entry) => findTarget(entry))]));
}

function findTarget({ specifier, target }: SourceImport): string[] {
  if (target !== undefined) return [target];
  if (!specifier.startsWith("@tsbuilder/")) return [];
  try {
    // Started with the condition that leads to sources.
    return [relative(repository, realpathSync(fileURLToPath(import.meta.resolve(specifier))))];
  } catch {
    // The check of types says of an import that leads nowhere.
    return [];
  }
}

/** Vitest's own notes of how many milliseconds each file of tests took last time; none on a fresh clone. */
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
