import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Watched } from "../../../support/eventually.ts";
import { watchLog } from "../../../support/watched-process.ts";

/** Namespaces of their own in which a whole machine's programs run without touching the machine. */
export interface Sandbox {
  /** Everything that its programs write; removed with it. */
  readonly folder: string;
  /** The control group below which its containers run, in every hierarchy. */
  readonly group: string;
  /** The words before a command that runs in it; they need root. */
  readonly enter: readonly string[];
  /** Starts a program in it, with its output in `logs/NAME.log`. */
  readonly start: (name: string, words: readonly string[], options?: StartOptions) => Program;
  /** Ends all that runs in it and removes its folder; resolves when nothing is left. */
  readonly stop: () => Promise<void>;
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

/** The prefix of each sandbox's folder. It is not on a file system in memory, as it holds containers' layers. */
export const sandboxFolders = "/var/tmp/tsbuilder-node-";

export async function startSandbox(): Promise<Sandbox> {
  const folder = mkdtempSync(sandboxFolders);
  const group = basename(folder);
  mkdirSync(join(folder, "logs"));
  writeFileSync(join(folder, "resolv.conf"), "nameserver 10.96.0.10\n");
  const keeper = spawn("bash", [join(import.meta.dirname, "keeper.sh"), folder, group], {
    // It outlives a Ctrl-C in the terminal, to clean up.
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = new Promise<void>((resolve) => keeper.once("exit", () => resolve()));
  const stop = (): Promise<void> => {
    keeper.stdin.end();
    return gone;
  };
  const [line] = await firstLine(keeper);
  const init = /^ready (\d+)$/.exec(line)?.[1];
  if (init === undefined) {
    const log = readFileSync(join(folder, "logs/sandbox.log"), "utf8");
    await stop();
    throw new Error(`the sandbox does not start:\n${log}`);
  }
  const enter = ["nsenter", "--target", init, "--mount", "--net", "--pid", "--uts", "--ipc", "--"];
  return { folder, group, enter, stop, start };

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

function firstLine(keeper: ChildProcess): Promise<[string]> {
  return new Promise((resolve) => {
    createInterface({ input: keeper.stdout! })
      .once("line", (line) => resolve([line]))
      .once("close", () => resolve([""]));
  });
}
