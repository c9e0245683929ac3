import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { type KeptCode, readCode, writeCode } from "./kept-code.ts";

/** A run may have called little of a script: the code is completed by some of the next ones. */
const completingRuns = 3;

interface LoadedScript {
  readonly source: Buffer;
  readonly script: Script;
  readonly kept: KeptCode | undefined;
}

/**
 * Loads the scripts of a folder, which may load one another, as `require` does. What V8 compiles of them is kept in
 * another folder: it takes a third of a short run. Nobody is told if that fails, since nothing but time is lost.
 */
export class Scripts {
  readonly #folder: string;
  readonly #codeFolder: string | undefined;
  readonly #loaded = new Map<string, LoadedScript>();
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
    const grown = [...this.#loaded].filter(
      ([, { kept }]) => kept === undefined || kept.runs < completingRuns,
    );
    if (grown.length === 0) return;
    try {
      for (const [name, { source, script, kept }] of grown) {
        const data = script.createCachedData();
        writeCode(join(folder, name), source, { data, runs: kept === undefined ? 0 : kept.runs + 1 });
      }
      removeOthers(folder, new Set(readdirSync(this.#folder)));
    } catch {
      // A full or read-only disk: the next run compiles again.
    }
  }

  #compile(name: string, filename: string): Script {
    const source = readFileSync(filename);
    const kept = this.#codeFolder === undefined ? undefined : readCode(join(this.#codeFolder, name), source);
    const script = new Script(`(function (exports, module, require, __url) {${source.toString()}\n})`, {
      filename,
      cachedData: kept?.data,
    });
    this.#loaded.set(name, { source, script, kept: script.cachedDataRejected ? undefined : kept });
    return script;
  }
}

/** A module of which nothing is used before one of its functions is: it is loaded then. */
function loadLater(id: string, load: (id: string) => unknown): object {
  return new Proxy({}, { get: (_, name) => Reflect.get(load(id) as object, name) as unknown });
}

type ScriptBody = (exports: object, module: { exports: object }, require: unknown, url: string) => void;

/** Removes the code of scripts that are gone, and what a command that was killed left behind. */
function removeOthers(folder: string, names: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name), { force: true });
}
