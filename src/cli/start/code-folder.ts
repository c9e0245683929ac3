import { lstatSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { openCacheFolder } from "../../shared/own-folder.ts";

/** Versions of tsbuilder and of Node, and kinds of runs, whose code is kept. */
const keptFolders = 8;

/**
 * The folder that keeps compiled code for this version of tsbuilder, of Node, and the present flags of V8; created if it
 * is missing. Undefined where nothing can be kept, or somebody else could change it: what is found there is run.
 */
export function openCodeFolder(version: string, env: NodeJS.ProcessEnv): string | undefined {
  const all = openCacheFolder("code", env);
  if (all === undefined) return undefined;
  try {
    const folder = join(all, `${version}-${cachedDataVersionTag().toString(16)}`);
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) removeOldest(all, folder);
    else utimesSync(folder, new Date(), new Date());
    return folder;
  } catch {
    return undefined;
  }
}

function removeOldest(all: string, made: string): void {
  const folders = readdirSync(all)
    .map((name) => join(all, name))
    .filter((path) => path !== made);
  const byAge = folders
    .map((path) => ({ path, time: lstatSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(keptFolders - 1)) rmSync(path, { recursive: true, force: true });
}
