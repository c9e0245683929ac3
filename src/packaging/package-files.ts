import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { PackedFile } from "./tarball.ts";

/** Reads all files in the given entries of a folder, except `node_modules` and compiler state. */
export function readPackageFiles(folder: string, entries: readonly string[]): PackedFile[] {
  return entries
    .map((entry) => join(folder, entry))
    .filter((path) => existsSync(path))
    .flatMap(listFiles)
    .map((path) => ({
      path: relative(folder, path).split(sep).join("/"),
      content: readFileSync(path),
      executable: (statSync(path).mode & 0o111) !== 0,
    }));
}

/** The sources that declaration maps name, in which an editor goes to a definition. */
export function readMappedSources(folder: string, files: readonly PackedFile[]): PackedFile[] {
  const maps = files.filter(({ path }) => path.endsWith(".d.ts.map"));
  const sources = maps.flatMap(({ path, content }) => {
    const map = JSON.parse(Buffer.from(content).toString("utf8")) as { readonly sources: readonly string[] };
    return map.sources.map((source) => join(dirname(path), source));
  });
  return readPackageFiles(folder, [...new Set(sources)].toSorted());
}

function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name !== "node_modules" && !name.endsWith(".tsbuildinfo"))
    .toSorted()
    .flatMap((name) => listFiles(join(path, name)));
}
