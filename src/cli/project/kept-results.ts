import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import type { ManifestsPlan } from "../../generators/model/files.ts";
import { crdFolder } from "../../generators/manifests.ts";
import { hasGrown, keepResults, restoreResults, listResults } from "../../generators/sources/kept-results.ts";
import type { GeneratorOptions } from "../../generators/model/options.ts";
import { createCache, type GeneratorCache } from "../../generators/sources/cache.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { openCacheFolder } from "../../shared/own-folder.ts";

/**
 * Keeps the generators' results of a project for the next command, which then reads only files that have changed.
 * Results are valid for the same content of the sources and the same code of tsbuilder. If the cache can't be read or
 * written, nothing is reported: the next command only takes longer.
 */
export class KeptResults {
  readonly #folder: string;
  readonly #file: string;
  readonly #code: string;

  /** Returns undefined without a cache folder, and for a CLI that runs from its sources, which may change meanwhile. */
  static open(root: string, env: NodeJS.ProcessEnv): KeptResults | undefined {
    const code = checksumOfCode();
    const folder = code === undefined ? undefined : openCacheFolder("generated", env);
    return folder === undefined ? undefined : new KeptResults(folder, root, code!);
  }

  constructor(folder: string, root: string, code: string) {
    this.#folder = folder;
    // A file's name has at most 255 bytes.
    this.#file = `${Buffer.from(root).toString("base64url").slice(-180)}-${checksum(root)}`;
    this.#code = code;
  }

  /** Plans with the kept results, and keeps new ones. */
  async plan(
    tree: Tree,
    options: GeneratorOptions,
    plan: (cache: GeneratorCache) => Promise<ManifestsPlan>,
  ): Promise<ManifestsPlan> {
    const stored = this.#read();
    const restored = stored && restoreResults(stored, this.#code, crdFolder(tree, options), tree);
    const cache = restored ?? createCache();
    const before = listResults(cache);
    const planned = await plan(cache);
    const results = hasGrown(cache, before)
      ? keepResults(cache, this.#code, tree, planned.diagnostics)
      : undefined;
    if (results && !(stored && Buffer.compare(stored, results) === 0)) this.#write(results);
    return planned;
  }

  #read(): Uint8Array | undefined {
    try {
      return readFileSync(join(this.#folder, this.#file));
    } catch {
      return undefined;
    }
  }

  /** Replaces the file by a rename, since another command may be reading it. */
  #write(bytes: Uint8Array): void {
    const file = join(this.#folder, this.#file);
    try {
      writeFileSync(`${file}.${process.pid}`, bytes, { mode: 0o600 });
      renameSync(`${file}.${process.pid}`, file);
      removeOldest(this.#folder);
    } catch {
      // A full or read-only disk: the next command reads everything again.
    }
  }
}

/** The number of projects whose results are kept. */
const keptProjects = 32;

function removeOldest(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  if (files.length <= keptProjects) return;
  const byAge = files.map((path) => ({ path, time: statSync(path).mtimeMs })).sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(keptProjects)) rmSync(path, { force: true });
}

/** Identifies the code of the generators: the bundle's first script names all others by hashes of their content. */
function checksumOfCode(): string | undefined {
  const script = fileURLToPath(import.meta.url);
  return script.endsWith(".cjs") ? checksum(readFileSync(join(script, "../main.cjs"))) : undefined;
}

function checksum(data: string | Buffer): string {
  return crc32(data).toString(16);
}
