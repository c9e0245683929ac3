import childProcess from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import workers from "node:worker_threads";
import { OutsideError } from "./outside-error.ts";
import type { Replacements } from "./replace.ts";
import { environment } from "./environment.ts";

const processes = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"];
const writes = ["appendFile", "copyFile", "mkdir", "rename", "rm", "symlink", "unlink", "writeFile"];

/** Refuses by name what a simulation can't own. Outside of simulations all of it works as before. */
export function refuseOutside(replacements: Replacements): void {
  const refuse = (table: object, names: readonly string[], what: string, instead: string): void => {
    for (const name of names)
      replacements.set(
        table,
        name,
        (real: (...args: never[]) => unknown) =>
          function (this: unknown, ...args: never[]) {
            if (environment()?.isClosed) throw new OutsideError(`${what}.${name}()`, instead);
            return new.target ? Reflect.construct(real, args) : real.apply(this, args);
          },
      );
  };
  const pass = "pass the reconciler a function that does it, and a stand-in for it here";
  refuse(childProcess, processes, "child_process", pass);
  refuse(net.Socket.prototype, ["connect"], "Socket", pass);
  refuse(net.Server.prototype, ["listen"], "Server", "turn the server off in the simulation");
  refuse(workers, ["Worker"], "worker_threads", pass);
  const inMemory = "keep what must survive in the cluster, such as in a ConfigMap";
  refuse(fs, [...writes, ...writes.map((name) => `${name}Sync`)], "fs", inMemory);
  refuse(fs.promises, writes, "fs.promises", inMemory);
}
