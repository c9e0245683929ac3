import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { followRoute } from "../../book/follow-route.ts";
import { stepsOf, tutorial } from "../../book/written-routes.ts";
import { tryRun } from "../../support/shell.ts";

const parent = mkdtempSync(join(tmpdir(), "tsbuilder-tutorial-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test("who does what the pages say has an operator whose lint and tests pass, and sees what they show", async () => {
  const project = await followRoute(tutorial, parent);
  const commands = stepsOf(tutorial).flatMap((step) => (step.does === "run" ? [step.command] : []));
  expect(commands.slice(-2)).toEqual(["npm run lint", "npm test"]);
  expect(await tryRun(project, "npm", "run", "fmt", "--", "--check")).toMatchObject({ exitCode: 0 });
});
