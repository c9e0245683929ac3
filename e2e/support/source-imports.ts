import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** One import of one source file. `file` and, where it is ours, `target` are relative to the repository. */
export interface SourceImport {
  readonly file: string;
  readonly specifier: string;
  readonly target: string | undefined;
  /** True if the target is executed before the file; false for type imports and `import()`. */
  readonly isEager: boolean;
}

/** The repository's folder. */
export const repository = join(import.meta.dirname, "../..");

/** All TypeScript sources below a folder, without built or generated ones. */
export function listSources(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)))
    .filter((file) => !/(^|\/)(node_modules|dist|generated)\//.test(file))
    .toSorted();
}

/** Reads the imports, re-exports and dynamic imports of a source file. */
export function readImports(file: string): SourceImport[] {
  const text = readFileSync(join(repository, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(importPattern)].map((match) => {
    const specifier = (match[1] ?? match[2] ?? match[3])!;
    const target = specifier.startsWith(".")
      ? relative(repository, join(repository, dirname(file), specifier))
      : undefined;
    return { file, specifier, target, isEager: !/^(?:(?:import|export)\s+type\b|import\()/.test(match[0]) };
  });
}

const importPattern =
  /^(?:import|export)\b[^"';]*?from\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;
