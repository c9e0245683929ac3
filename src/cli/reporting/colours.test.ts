import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import { spawnSync } from "node:child_process";
import { spawn } from "@lydell/node-pty";
import { expect, test } from "vitest";

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const main = new URL("../start/from-source.ts", import.meta.url).pathname;

const red = "\u001b[31merror:\u001b[39m";
const cyan = "\u001b[36mhint:\u001b[39m";

test("errors and hints are coloured on a terminal, unless NO_COLOR is set", async () => {
  const coloured = await showError({});
  expect(coloured).toContain(`${red} unknown command`);
  expect(coloured).toContain(`${cyan} run tsbuilder --help`);
  expect(await showError({ NO_COLOR: "1" })).toContain("error: unknown command");
});

test("nothing is coloured in a pipe, even where Node would", () => {
  // Node 22 before 22.8 colours for all streams, others when they are asked to.
  const { stderr } = spawnSync(process.execPath, frobnicate, {
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"], FORCE_COLOR: "1" },
    encoding: "utf8",
  });
  expect(stderr).toMatch(/^error: unknown command .*\nhint: run tsbuilder --help/u);
});

const frobnicate = ["--conditions=@tsbuilder/source", "--import", tsx, main, "frobnicate"];

/** What a terminal shows after an unknown command. */
function showError(set: Readonly<Record<string, string>>): Promise<string> {
  // Nothing of the runner's environment: `CI` turns colours off, too.
  const env = { PATH: process.env["PATH"], TERM: "xterm-256color", ...set };
  return new Promise((resolve) => {
    const terminal = spawn(process.execPath, frobnicate, { cwd: tmpdir(), cols: 120, rows: 40, env });
    let text = "";
    terminal.onData((data) => {
      text += data;
    });
    terminal.onExit(() => resolve(text));
  });
}
