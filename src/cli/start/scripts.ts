// The compiled code of the CLI: scripts are loaded with it, and what V8 compiles is kept for the next run.

import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { cachedDataVersionTag, setFlagsFromString } from "node:v8";
import { openCacheFolder } from "../../shared/own-folder.ts";

/** The number of runs after which a script's code is complete: one run calls only a part of its functions. */
const completingRuns = 3;

/** A script whose code is written when the process ends. */
interface GrownScript {
  readonly source: Buffer;
  readonly script: Script;
  /** Earlier runs that have added to its code; undefined if there is none. */
  readonly runs: number | undefined;
}

/**
 * Loads the scripts of a folder, which may load one another as `require` does. Keeps the code that V8 compiles in another
 * folder, since compiling takes a third of a short run. If that fails, nothing is reported: the run only takes longer.
 */
export class Scripts {
  readonly #folder: string;
  readonly #codeFolder: string | undefined;
  readonly #grown = new Map<string, GrownScript>();
  readonly #exports = new Map<string, object>();

  constructor(folder: string, codeFolder: string | undefined) {
    this.#folder = folder;
    this.#codeFolder = codeFolder;
  }

  /** Returns the exports of a script. As with `require`, they may be incomplete while scripts load each other. */
  load(name: string): object {
    const known = this.#exports.get(name);
    if (known) return known;
    const file = join(this.#folder, name);
    const nodeRequire = createRequire(file);
    const require = (id: string): unknown => (id.startsWith("./") ? this.load(id.slice(2)) : nodeRequire(id));
    const later = (id: string): object => loadLater(id, nodeRequire);
    const module = { exports: {} };
    this.#exports.set(name, module.exports);
    const run = this.#compile(name, file).runInThisContext() as ScriptBody;
    const scriptRequire = Object.assign(require, { resolve: nodeRequire.resolve, later });
    run(module.exports, module, scriptRequire, pathToFileURL(file).href);
    this.#exports.set(name, module.exports);
    return module.exports;
  }

  /** Writes the code that V8 has compiled. Called when the process ends. */
  keepCode(): void {
    if (this.#codeFolder === undefined) return;
    const folder = this.#codeFolder;
    if (this.#grown.size === 0) return;
    try {
      for (const [name, { source, script, runs }] of this.#grown) {
        const data = script.createCachedData();
        writeCode(join(folder, name), source, { data, runs: runs === undefined ? 0 : runs + 1 });
      }
      removeOthers(folder, new Set(readdirSync(this.#folder)));
    } catch {
      // A full or read-only disk: the next run compiles again.
    }
  }

  #compile(name: string, filename: string): Script {
    const source = readFileSync(filename);
    const kept = this.#codeFolder === undefined ? undefined : readCode(join(this.#codeFolder, name), source);
    const script = new Script(source.toString(), { filename, cachedData: kept?.data });
    const runs = script.cachedDataRejected ? undefined : kept?.runs;
    // A script whose code is complete needs no second copy of its source and code in memory.
    if (runs === undefined || runs < completingRuns) this.#grown.set(name, { source, script, runs });
    return script;
  }
}

/** Compiled code of a script from an earlier run. */
interface KeptCode {
  readonly data: Buffer;
  /** The number of runs that have added to it. */
  readonly runs: number;
}

/** The header has checksums of the source and of the code, the number of runs, and four bytes that align the code for V8. */
const headerLength = 16;

/** Reads the code of a source; undefined if there is none. Compares both checksums: V8 compares only the source's length. */
export function readCode(file: string, source: Buffer): KeptCode | undefined {
  const bytes = readIfPossible(file);
  if (bytes === undefined || bytes.length < headerLength) return undefined;
  const data = bytes.subarray(headerLength);
  const isWhole = bytes.readUInt32LE(0) === crc32(source) && bytes.readUInt32LE(4) === crc32(data);
  return isWhole ? { data, runs: bytes.readUInt32LE(8) } : undefined;
}

/** Replaces the file by a rename, since another command may be reading it. */
function writeCode(file: string, source: Buffer, { data, runs }: KeptCode): void {
  const header = Buffer.alloc(headerLength);
  header.writeUInt32LE(crc32(source), 0);
  header.writeUInt32LE(crc32(data), 4);
  header.writeUInt32LE(runs, 8);
  const written = `${file}.${process.pid}`;
  writeFileSync(written, Buffer.concat([header, data]), { mode: 0o600 });
  renameSync(written, file);
}

function readIfPossible(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Returns a module that is loaded when one of its functions is first used. */
function loadLater(id: string, load: (id: string) => unknown): object {
  let loaded: object | undefined;
  return new Proxy({}, { get: (_, name) => Reflect.get((loaded ??= load(id) as object), name) as unknown });
}

type ScriptBody = (exports: object, module: { exports: object }, require: unknown, url: string) => void;

/** Removes files without a script: of an older bundle, or left by a command that was killed. */
function removeOthers(folder: string, names: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name), { force: true });
}

/**
 * Returns the folder for compiled code of this version of tsbuilder and this program of Node with the present flags of V8; creates
 * it if it is missing. Undefined if nothing can be kept, or if another user could change the folder: code in it is run.
 *
 * V8's own tag is that of its version, which many versions of Node have in common, as 20.19.0 and 20.20.2. But code refers to
 * strings by their place in the program's heap: with another program, `Promise.all` becomes whatever is at that place there.
 */
export function openCodeFolder(
  version: string,
  env: NodeJS.ProcessEnv,
  program = process.execPath,
): string | undefined {
  const codeFolders = openCacheFolder("code", env);
  if (codeFolders === undefined) return undefined;
  try {
    const { size, mtimeMs } = statSync(program);
    const node = crc32(`${process.version} ${size} ${mtimeMs} ${cachedDataVersionTag()}`).toString(16);
    const folder = join(codeFolders, `${version}-${node}`);
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) removeOldest(codeFolders, folder);
    else utimesSync(folder, new Date(), new Date());
    return folder;
  } catch {
    return undefined;
  }
}

/** The number of folders that are kept. Each version of tsbuilder and of Node and each set of V8's flags has its own. */
const keptFolders = 8;

/** Removes the folders that were not used for longest, but never the one that was just created. */
function removeOldest(codeFolders: string, created: string): void {
  const folders = readdirSync(codeFolders)
    .map((name) => join(codeFolders, name))
    .filter((path) => path !== created);
  const byAge = folders
    .map((path) => ({ path, time: lstatSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(keptFolders - 1)) rmSync(path, { recursive: true, force: true });
}

/** Words of the commands that run until they are stopped. */
const longRunning = new Set(["cluster", "dev", "run", "--watch"]);

/**
 * Sets flags of V8 for a process that ends within seconds. Functions are optimized many times later, because a short
 * run does not get that time back. The young generation keeps its first size: most objects live until the end, and
 * copying them between growing halves takes memory and time.
 */
export function fitShortRun(argv: readonly string[]): void {
  if (argv.some((word) => longRunning.has(word))) return;
  for (const flag of ["--semi-space-growth-factor=1", ...lateOptimization()]) setFlagsFromString(flag);
}

/** Node 20 measures what calls cost; from Node 22 on, V8 counts them. */
function lateOptimization(): readonly string[] {
  return Number.parseInt(process.versions.node, 10) < 22
    ? ["--interrupt-budget=600000"]
    : ["--invocation-count-for-maglev=1600", "--invocation-count-for-turbofan=48000"];
}
