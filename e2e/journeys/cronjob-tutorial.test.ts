import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { followSteps } from "../book/follow-steps.ts";
import { tutorialSteps } from "../book/tutorial.ts";
import { shareInstall } from "../support/init-project.ts";
import { run, type Shell, tryRun } from "../support/shell.ts";
import { repository } from "../support/source-imports.ts";

const parent = mkdtempSync(join(tmpdir(), "tsbuilder-tutorial-"));
const project: Shell = { folder: join(parent, "cronjob-operator"), env: {} };
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** As a reader who has installed tsbuilder. Dependencies come from the install that all journeys share. */
async function type(command: string): Promise<string> {
  const [program = "", ...words] = command.split(" ");
  if (program !== "tsbuilder") return printedBy(await run(project, program, ...words));
  const init = words[0] === "init";
  const cli = join(repository, "bin/tsbuilder.js");
  const result = await run(project, "node", cli, ...words, ...(init ? ["--skip-install"] : []));
  if (init) await shareInstall(project);
  return printedBy(result);
}

function printedBy({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  return stdout + stderr;
}

test("who does what the pages say has an operator whose lint and tests pass, and sees what they show", async () => {
  mkdirSync(project.folder);
  const steps = tutorialSteps();
  await followSteps(steps, project.folder, type);
  const commands = steps.flatMap((step) => (step.does === "run" ? [step.command] : []));
  expect(commands.slice(-2)).toEqual(["npm run lint", "npm test"]);
  expect(await tryRun(project, "npx", "biome", "format")).toMatchObject({ exitCode: 0 });
});
