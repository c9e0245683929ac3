import { spawn } from "node:child_process";
import { join } from "node:path";
import { eventually, type Watched } from "../eventually.ts";
import { plainEnvironment, type Shell } from "../shell.ts";
import { repository } from "../source-imports.ts";
import { watchProcess } from "../watched-process.ts";

/** A tsbuilder command that runs until it is stopped. */
export interface LongCommand {
  /** Its output so far, of both streams. */
  readonly lines: readonly string[];
  readonly pid: number;
  readonly watch: Watched;
  /** Waits for a line; fails if the command exits without it. */
  sees(text: string): Promise<string>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `tsbuilder dev`, `run` or `cluster start` as a user without a terminal would. */
export function startTsbuilder(shell: Shell, ...args: string[]): LongCommand {
  const child = spawn(process.execPath, [join(repository, "bin/tsbuilder.js"), ...args], {
    cwd: shell.folder,
    env: { ...plainEnvironment(), ...shell.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { lines, watch, exited, stop } = watchProcess(`tsbuilder ${args[0]}`, child);
  return {
    lines,
    watch,
    pid: child.pid!,
    ended: exited,
    sees: (text) =>
      eventually(() => {
        const line = lines.find((each) => each.includes(text));
        if (line === undefined) throw new Error(`no line has "${text}"`);
        return line;
      }, watch),
    stop,
  };
}
