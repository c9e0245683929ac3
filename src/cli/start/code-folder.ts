import { lstatSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { openCacheFolder } from "../../shared/own-folder.ts";

/**
 * The number of folders that are kept: one for each version of tsbuilder and of Node, and for each set of V8's flags.
 */
const keptFolders = 8;

/**
 * Returns the folder for compiled code of this version of tsbuilder and Node with the present flags of V8; creates it
 * if it is missing. Undefined if nothing can be kept, or if another user could change the folder: code in it is run.
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
