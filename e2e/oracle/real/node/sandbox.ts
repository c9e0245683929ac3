import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Sandbox as Namespaces,
  startSandbox as startNamespaces,
} from "../../../../src/cluster/nodes/sandbox.ts";
import type { Watched } from "../../../support/eventually.ts";
import { watchLog } from "../../../support/watched-process.ts";

/** Namespaces of nodes, in which more programs can be started. */
export interface Sandbox extends Pick<Namespaces, "folder" | "group" | "enter" | "stop"> {
  /** Starts a program in it, with its output in `logs/NAME.log`. */
  readonly start: (name: string, words: readonly string[], options?: StartOptions) => Program;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Descriptors that the program gets as 3, 4 and so on. */
  readonly descriptors?: readonly number[];
}

/** A program in a sandbox. */
export interface Program {
  readonly child: ChildProcess;
  readonly watched: Watched;
}

export async function startSandbox(nodeNames: readonly string[]): Promise<Sandbox> {
  return withPrograms(await startNamespaces(nodeNames));
}

/** Adds the start of programs to a sandbox. */
export function withPrograms(sandbox: Omit<Sandbox, "start">): Sandbox {
  const { folder, enter } = sandbox;
  return { ...sandbox, start };

  function start(name: string, words: readonly string[], options: StartOptions = {}): Program {
    const file = join(folder, "logs", `${name}.log`);
    const output = openSync(file, "a");
    const [program = "", ...args] = [...enter, ...words];
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", output, output, ...(options.descriptors ?? [])],
    });
    closeSync(output);
    return { child, watched: watchLog(name, child, () => readFileSync(file, "utf8")) };
  }
}
