import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandResult, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

/** An operator without a framework, which makes a mistake if it is told to. */
const ledger = join(repository, "e2e/support/operators/ledger");
const cli = join(repository, "bin/tsbuilder.js");

let shell: Shell;
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "explore-operator-"));
  cpSync(ledger, folder, { recursive: true });
  shell = { folder, env: {} };
});
afterAll(() => rmSync(shell.folder, { recursive: true, force: true }));

const explore = (mistake: string, ...flags: string[]): Promise<CommandResult> => {
  const operator = ["--exec", `node operator.mjs ${mistake}`, "--manifests", "install.yaml"];
  const runs = ["--sample", "sample.yaml", "--patience", "2s", "--jobs", "4"];
  return tryRun(shell, process.execPath, cli, "explore", ...operator, ...runs, ...flags);
};

test("explore --exec finds nothing wrong with an operator that is right", async () => {
  const { stdout, exitCode } = await explore("", "--time", "30s");
  expect(stdout).toMatch(/^explored [1-9]\d* disturbed runs?; the process died at .*; found 0 mistakes/mu);
  expect(exitCode).toBe(0);
});

test("explore --exec tells a mistake, and plays it again", async () => {
  const found = await explore("orphan", "--time", "10m", "--plays", "2");
  expect(found.stdout).toContain("after the deletion, ConfigMap.v1 default/winter-index is left");
  expect(found.stdout).toContain("It came back in 2 of 2 plays.");
  expect(found.exitCode).toBe(1);
  const [file] = readdirSync(join(shell.folder, ".tsbuilder/explore")).filter((name) =>
    name.endsWith(".json"),
  );
  const replay = ["--replay", `.tsbuilder/explore/${file}`, "--plays", "2"];
  const again = await explore("orphan", ...replay);
  expect(again.stdout).toContain("It came back in 2 of 2 plays.");
  expect(again.exitCode).toBe(1);
  const mended = await explore("", ...replay);
  expect(mended.stdout).toContain("It came back in 0 of 2 plays.");
  expect(mended.exitCode).toBe(0);
});
