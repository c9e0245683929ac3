import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** A run may have called little of a script: the code is completed by some of the next ones. */
const completingRuns = 3;

/** A script whose code is to be kept, or completed. */
interface GrownScript {
  readonly source: Buffer;
  readonly script: Script;
  /** Those that have added to its code; undefined if there is none. */
  readonly runs: number | undefined;
}

/**
 * Loads the scripts of a folder, which may load one another, as `require` does. What V8 compiles of them is kept in
 * another folder: it takes a third of a short run. Nobody is told if that fails, since nothing but time is lost.
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

  load(name: string): object {
    const known = this.#exports.get(name);
    if (known) return known;
    const file = join(this.#folder, name);
    const native = createRequire(file);
    const require = (id: string): unknown => (id.startsWith("./") ? this.load(id.slice(2)) : native(id));
    const module = { exports: {} };
    this.#exports.set(name, module.exports);
    const run = this.#compile(name, file).runInThisContext() as ScriptBody;
    run(
      module.exports,
      module,
      Object.assign(require, { resolve: native.resolve, later: (id: string) => loadLater(id, native) }),
      pathToFileURL(file).href,
    );
    this.#exports.set(name, module.exports);
    return module.exports;
  }

  /** Writes down what V8 has compiled; to be called when the process ends. */
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
    // Of a script whose code is complete, neither its source nor its code is held in memory a second time.
    if (runs === undefined || runs < completingRuns) this.#grown.set(name, { source, script, runs });
    return script;
  }
}

/** Compiled code of a script, as V8 wrote it down after an earlier run. */
interface KeptCode {
  readonly data: Buffer;
  /** The runs that have added what they compiled. */
  readonly runs: number;
}

/** A checksum of the source and one of the code, the number of runs, and four bytes that align what follows for V8. */
const headerLength = 16;

/**
 * Reads the code of a source; undefined if there is none. V8 compares only the length of a source with the one that it
 * has compiled, and trusts the code that it is given: both are checked here.
 */
export function readCode(file: string, source: Buffer): KeptCode | undefined {
  const bytes = readIfPossible(file);
  if (bytes === undefined || bytes.length < headerLength) return undefined;
  const data = bytes.subarray(headerLength);
  const isWhole = bytes.readUInt32LE(0) === crc32(source) && bytes.readUInt32LE(4) === crc32(data);
  return isWhole ? { data, runs: bytes.readUInt32LE(8) } : undefined;
}

/** Replaces the file at once: another command may be reading it. */
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

/** A module of which nothing is used before one of its functions is: it is loaded then. */
function loadLater(id: string, load: (id: string) => unknown): object {
  let loaded: object | undefined;
  return new Proxy({}, { get: (_, name) => Reflect.get((loaded ??= load(id) as object), name) as unknown });
}

type ScriptBody = (exports: object, module: { exports: object }, require: unknown, url: string) => void;

/** Removes the code of scripts that are gone, and what a command that was killed left behind. */
function removeOthers(folder: string, names: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name), { force: true });
}
