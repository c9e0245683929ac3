import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
} from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";

/** Versions of tsbuilder and of Node, and kinds of runs, whose code is kept. */
const keptFolders = 8;

/**
 * The folder that keeps compiled code for this version of tsbuilder, of Node, and the present flags of V8; created if it
 * is missing. Undefined where nothing can be kept, or somebody else could change it: what is found there is run.
 */
export function openCodeFolder(version: string, env: NodeJS.ProcessEnv): string | undefined {
  const all = openOwnFolder("code", env);
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

/** A folder below the user's cache that nobody else can change; undefined where there can be none, or nothing may be kept. */
export function openOwnFolder(name: string, env: NodeJS.ProcessEnv): string | undefined {
  // Node's own variable, for those who want nothing of the kind.
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  try {
    const { XDG_CACHE_HOME: given = "", HOME: home = homedir() } = env;
    if (!isAbsolute(given) && !(isAbsolute(home) && existsSync(home))) return undefined;
    const base = isAbsolute(given) ? given : join(home, ".cache");
    const folder = makeFolder(base, "tsbuilder", name);
    // Whoever may change a folder can exchange those in it.
    return mayBeExchanged(base) || !isOurs(join(base, "tsbuilder")) || !isOurs(folder) ? undefined : folder;
  } catch {
    return undefined;
  }
}

/** Creates what is missing of a folder, level by level: below `/proc`, Node's recursive `mkdir` never ends. */
function makeFolder(base: string, ...names: readonly string[]): string {
  if (!existsSync(base)) mkdirSync(base, { mode: 0o700 });
  const [name, ...rest] = names;
  return name === undefined ? base : makeFolder(join(base, name), ...rest);
}

function isOurs(folder: string): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && isOwn(stats) && (stats.mode & 0o022) === 0;
}

/** Whether others may rename what is in a folder. In one like `/tmp`, they may rename only what is theirs. */
function mayBeExchanged(folder: string): boolean {
  const { uid, mode } = statSync(folder);
  const isTheirs = uid !== 0 && !isOwn({ uid });
  return isTheirs || ((mode & 0o022) !== 0 && (mode & 0o1000) === 0);
}

function isOwn({ uid }: Pick<Stats, "uid">): boolean {
  return process.getuid === undefined || uid === process.getuid();
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
