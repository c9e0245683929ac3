import { existsSync, lstatSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeFolder } from "./files.ts";

/** Opens a folder in the user's cache that no other user can change; undefined if nothing can or may be kept. */
export function openCacheFolder(name: string, env: NodeJS.ProcessEnv): string | undefined {
  // Node's own variable to turn off such caches.
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const folder = openFolder(env, env["XDG_CACHE_HOME"], [".cache"], name, makeAndJoin);
  return typeof folder === "string" ? folder : undefined;
}

/** The reason why there is no folder. */
export interface NoFolder {
  readonly reason: string;
}

/** Opens a folder in the user's state that no other user can change, or says why not. `make` creates a missing one. */
export function openStateHome(
  name: string,
  env: NodeJS.ProcessEnv,
  { make }: { readonly make: boolean },
): string | NoFolder {
  return openFolder(env, env["XDG_STATE_HOME"], [".local", "state"], name, make ? makeAndJoin : join);
}

/**
 * Opens `tsbuilder/NAME` below the configured folder, or below the home. A relative setting is ignored: a clone could
 * contain what is below the current folder. `openPath` joins the parts of a path, and may create it.
 */
function openFolder(
  { HOME: home = homedir() }: NodeJS.ProcessEnv,
  configured = "",
  belowHome: readonly string[],
  name: string,
  openPath: (base: string, ...names: readonly string[]) => string,
): string | NoFolder {
  try {
    if (!isAbsolute(configured) && !(isAbsolute(home) && existsSync(home)))
      return { reason: `there is no home folder "${home}"` };
    const base = isAbsolute(configured) ? configured : openPath(home, ...belowHome);
    const folder = openPath(base, "tsbuilder", name);
    // A user who may change a folder can exchange those in it.
    if (mayBeExchanged(base)) return { reason: `others may change "${base}"` };
    const unsafe = [join(base, "tsbuilder"), folder].find((path) => !isSafe(path));
    return unsafe === undefined ? folder : { reason: `"${unsafe}" is not a folder that only you may change` };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

function makeAndJoin(base: string, ...names: readonly string[]): string {
  const folder = join(base, ...names);
  makeFolder(folder, 0o700);
  return folder;
}

/** Returns whether a path is a folder of this user that no other may write to. */
function isSafe(folder: string): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && isOwn(stats) && !isWritableByOthers(stats);
}

/**
 * Returns whether other users may rename the entries of a folder. In a sticky one like `/tmp`, they may rename only
 * their own. The group of our own folder is trusted: with the umask 002 of many systems, the user is its only member.
 */
function mayBeExchanged(folder: string): boolean {
  const stats = statSync(folder);
  if (process.getuid === undefined) return false;
  if (stats.uid !== 0 && !isOwn(stats)) return true;
  const writableByOthers = isOwn(stats) ? 0o002 : 0o022;
  const sticky = 0o1000;
  return (stats.mode & writableByOthers) !== 0 && (stats.mode & sticky) === 0;
}

/** Returns whether other users may write. On Windows, modes say nothing, and a home is only its user's. */
const isWritableByOthers = ({ mode }: Pick<Stats, "mode">): boolean =>
  process.getuid !== undefined && (mode & 0o022) !== 0;

function isOwn({ uid }: Pick<Stats, "uid">): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
