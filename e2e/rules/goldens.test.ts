import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everythingBelow } from "../../src/scaffold/tree.ts";
import { goldenProjects, makeGolden } from "../golden/golden-projects.ts";
import { explainGolden } from "./explain-golden.ts";
import { repository } from "../support/source-imports.ts";

const goldens = join(repository, "e2e/golden");
let made: string;
let copies: string;
const mendTemplate =
  "fix the file below templates/ that this comes from, or what src/plugins puts into it, then npm run golden";

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), "tsbuilder-golden-"));
  for (const name of goldenProjects) await makeGolden(name, made);
  copies = mkdtempSync(join(tmpdir(), "tsbuilder-golden-"));
  copyGoldens();
});
afterAll(() => {
  for (const folder of [made, copies]) rmSync(folder, { recursive: true, force: true });
});

test.each(goldenProjects)("the golden project %s matches the output of its script", (name) => {
  expect(explainGolden(name, read(join(made, name)), read(join(goldens, name)))).toBe("");
});

test.each([
  ["formatter", "oxfmt/bin/oxfmt", "--check"],
  ["linter", "oxlint/bin/oxlint", "--type-aware", "--deny-warnings"],
])("the golden projects pass their own %s without a change", (_, program, ...args) => {
  const { status, output } = runInCopies(program, ...args, ...goldenProjects);
  expect(status, `${mendTemplate}:\n${output}`).toBe(0);
});

test("the golden projects compile with their own compiler options", () => {
  const { output } = runInCopies("typescript-native/bin/tsc", "--pretty", "false");
  // Our own sources are stricter about optional properties than a project is; they are checked separately.
  const errors = output
    .split("\n")
    .filter((line) => goldenProjects.some((name) => line.startsWith(`${name}/`)));
  expect(errors.length === 0 ? "" : [...errors, mendTemplate].join("\n")).toBe("");
});

/**
 * Copies the committed projects, so that linter and compiler read them as one program, which resolves our packages to
 * their sources: nothing needs to be built.
 */
function copyGoldens(): void {
  const options = goldenProjects.map((name) => {
    cpSync(join(goldens, name), join(copies, name), { recursive: true });
    const config = join(copies, name, "tsconfig.json");
    const { compilerOptions } = JSON.parse(readFileSync(config, "utf8")) as { compilerOptions: object };
    rmSync(config);
    return compilerOptions;
  });
  for (const each of options) expect(each).toEqual(options[0]);
  const include = ["api", "src", "test", "*.ts"].map((part) => `*/${part}`);
  const compilerOptions = { ...options[0], customConditions: ["@tsbuilder/source"] };
  writeFileSync(join(copies, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  symlinkSync(join(repository, "node_modules"), join(copies, "node_modules"));
}

function runInCopies(program: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repository, "node_modules", program), ...args],
    { cwd: copies, encoding: "utf8" },
  );
  return { status, output: stdout + stderr };
}

describe("explaining differences of a golden project", () => {
  test("names the file, the first line that differs, and the command that writes it again", () => {
    expect(explainGolden("a", { PROJECT: "x: 1\ny: 2\n" }, { PROJECT: "x: 1\ny: 3\n" })).toBe(
      [
        "e2e/golden/a/PROJECT:2",
        "  was    y: 3",
        "  is now y: 2",
        "npm run golden writes them anew: read what git diff e2e/golden shows then, and commit it",
      ].join("\n"),
    );
  });

  test("reports added and removed files, and lines at the end", () => {
    const text = explainGolden(
      "a",
      { new: "", longer: "x\ny", shorter: "x" },
      { old: "", longer: "x", shorter: "x\ny" },
    );
    expect(text).toContain("e2e/golden/a/new is new\n");
    expect(text).toContain("e2e/golden/a/old is not made any more\n");
    expect(text).toContain("e2e/golden/a/longer:2\n  was    (end of the file)\n  is now y\n");
    expect(text).toContain("e2e/golden/a/shorter:2\n  was    y\n  is now (end of the file)\n");
  });

  test("returns nothing if there are none", () => {
    expect(explainGolden("a", { PROJECT: "x" }, { PROJECT: "x" })).toBe("");
  });
});

/** A golden's script shows how it is made; files that git ignores don't belong to it. */
function read(folder: string): Record<string, string> {
  return Object.fromEntries(
    everythingBelow(folder)
      .list("")
      .filter((path) => path !== ".tsbuilder/.gitignore")
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );
}
