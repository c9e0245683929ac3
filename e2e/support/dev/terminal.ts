import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { spawn } from "@lydell/node-pty";
import { repository } from "../source-imports.ts";

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const main = join(repository, "src/cli/start/from-source.ts");

/** Runs the CLI in a terminal, and waits for each question before it answers, as a person does. */
export function talk(
  folder: string,
  argv: readonly string[],
  answers: ReadonlyArray<readonly [question: string, answer: string]>,
): Promise<{ text: string; exitCode: number }> {
  return new Promise((resolve) => {
    const terminal = spawn(
      process.execPath,
      ["--conditions=@tsbuilder/source", "--import", tsx, main, ...argv],
      { cwd: folder, cols: 120, rows: 40, env: { ...process.env, CI: "", NO_COLOR: "1" } },
    );
    let text = "";
    let seen = 0;
    const left = [...answers];
    terminal.onData((data) => {
      text += data;
      const at = left.length > 0 ? text.indexOf(left[0]![0], seen) : -1;
      if (at === -1) return;
      seen = text.length;
      terminal.write(left.shift()![1]);
    });
    terminal.onExit(({ exitCode }) => resolve({ text, exitCode }));
  });
}
