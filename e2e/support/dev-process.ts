import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { eventually } from "@tsbuilder/runtime/testing";
import { plainEnvironment, type Shell } from "./shell.ts";
import { repository } from "./source-imports.ts";

/** A tsbuilder command that runs until it is asked to end. */
export interface LongCommand {
  /** What it has printed, on both streams. */
  readonly lines: readonly string[];
  readonly pid: number;
  /** Waits for a line; fails with everything that was printed if none comes. */
  sees(text: string): Promise<string>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `tsbuilder dev`, `run` or `cluster start` as a person without a terminal would. */
export function startTsbuilder(shell: Shell, ...args: string[]): LongCommand {
  const child = spawn(process.execPath, [join(repository, "bin/tsbuilder.js"), ...args], {
    cwd: shell.folder,
    env: { ...plainEnvironment(), ...shell.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => lines.push(line));
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  return {
    lines,
    pid: child.pid!,
    ended,
    async sees(text) {
      return eventually(
        () => {
          const line = lines.find((each) => each.includes(text));
          if (line === undefined) throw new Error(`no line has "${text}":\n${lines.join("\n")}`);
          return line;
        },
        { timeout: 60_000 },
      );
    },
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}
