import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type IPty, spawn } from "@lydell/node-pty";
import { plainEnvironment, type Shell } from "../shell.ts";
import { repository } from "../source-imports.ts";
import { ProcessWatch } from "../watched-process.ts";

const cli = join(repository, "bin/tsbuilder.js");

/** Runs `tsbuilder dev` at a terminal, by default of 100 columns and 24 rows. */
export function openDevScreen(project: Shell, args: readonly string[], { cols = 100, rows = 24 } = {}) {
  // Either would take the colours away.
  const { CI: _, NO_COLOR: __, ...plain } = plainEnvironment();
  const env = { ...plain, ...project.env, SHELL: "/bin/sh", TERM: "xterm-256color" };
  const pty: IPty = spawn(process.execPath, [cli, "dev", ...args], { cwd: project.folder, cols, rows, env });
  let written = "";
  /** Each drawing starts at the top left corner and ends by clearing what is below. */
  const colored = (): string =>
    (written.slice(0, written.lastIndexOf("\u001B[J")).split("\u001B[H").at(-1) ?? "")
      .replaceAll("\u001B[K", "")
      .replaceAll("\r", "");
  const screen = (): string => stripVTControlCharacters(colored());
  const watch = new ProcessWatch(screen);
  pty.onData((text) => {
    written += text;
    watch.changed();
  });
  const ended = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode }) => {
      watch.end = `tsbuilder dev ended with ${exitCode}`;
      watch.changed();
      resolve(exitCode);
    }),
  );
  return {
    ended,
    watch,
    type: (keys: string) => pty.write(keys),
    all: () => written,
    colored,
    screen,
    kill: () => {
      try {
        pty.kill();
      } catch {
        // The process has ended.
      }
    },
  };
}
