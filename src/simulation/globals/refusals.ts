import childProcess from "node:child_process";
import fs from "node:fs";
import dgram from "node:dgram";
import net from "node:net";
import workers from "node:worker_threads";
import { promisify } from "node:util";
import { OutsideError } from "./outside-error.ts";
import type { Replacements } from "./replace.ts";
import { environment } from "./environment.ts";

const processes = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"];
const writes = [
  "appendFile",
  "chmod",
  "chown",
  "copyFile",
  "cp",
  "link",
  "mkdir",
  "mkdtemp",
  "rename",
  "rm",
  "rmdir",
  "symlink",
  "truncate",
  "unlink",
  "utimes",
  "writeFile",
];

/** Opening is refused unless it is for reading. */
const isForWriting = (_path: unknown, flags: unknown): boolean =>
  typeof flags === "string" ? !/^rs?$/.test(flags) : typeof flags === "number" && flags !== 0;

type AnyFunction = ((...args: never[]) => unknown) & { readonly [promisify.custom]?: AnyFunction };

/** A function, or a class, with a check before each call. */
function checked(real: AnyFunction, check: (...args: never[]) => void): AnyFunction {
  function replaced(this: unknown, ...args: never[]): unknown {
    check(...args);
    return new.target ? (Reflect.construct(real, args, new.target) as unknown) : real.apply(this, args);
  }
  // Other code derives from a class meanwhile, and asks for its instances.
  if (real.prototype !== undefined) replaced.prototype = real.prototype as object;
  const { [promisify.custom]: custom } = real;
  // What was promisified once is from then on its own promisified version.
  if (!custom || custom === real) return replaced;
  return Object.assign(replaced, { [promisify.custom]: checked(custom, check) });
}

/** Refuses by name what a simulation can't own. Outside of simulations all of it works as before. */
export function refuseOutside(replacements: Replacements): void {
  const refuse = (
    table: object,
    names: readonly string[],
    what: string,
    instead: string,
    isRefused: (...args: never[]) => boolean = () => true,
  ): void => {
    for (const name of names)
      replacements.set(table, name, (real: AnyFunction) =>
        checked(real, (...args) => {
          if (environment()?.isClosed && isRefused(...args))
            throw new OutsideError(`${what}.${name}()`, instead);
        }),
      );
  };
  const pass = "pass the reconciler a function that does it, and a stand-in for it here";
  refuse(childProcess, processes, "child_process", pass);
  refuse(net.Socket.prototype, ["connect"], "Socket", pass);
  refuse(dgram.Socket.prototype, ["bind", "connect", "send"], "dgram.Socket", pass);
  refuse(net.Server.prototype, ["listen"], "Server", "turn the server off in the simulation");
  refuse(workers, ["Worker"], "worker_threads", pass);
  const inMemory = "keep what must survive in the cluster, such as in a ConfigMap";
  refuse(fs, [...writes, ...writes.map((name) => `${name}Sync`), "createWriteStream"], "fs", inMemory);
  refuse(fs.promises, writes, "fs.promises", inMemory);
  refuse(fs, ["open", "openSync"], "fs", inMemory, isForWriting);
  refuse(fs.promises, ["open"], "fs.promises", inMemory, isForWriting);
}
