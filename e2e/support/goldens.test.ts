import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everythingBelow } from "../../src/scaffold/tree.ts";
import { goldenProjects, makeGolden } from "../golden/golden-projects.ts";
import { explainGolden } from "./explain-golden.ts";
import { repository } from "./source-imports.ts";

const goldens = join(repository, "e2e/golden");
let made: string;
const mendTemplate =
  "fix the file below templates/ that this comes from, or what src/plugins puts into it, then npm run golden";

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), "tsbuilder-golden-"));
  for (const name of goldenProjects) await makeGolden(name, made);
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

describe.each(goldenProjects)("the golden project %s", (name) => {
  test("matches the output of its script", () => {
    expect(explainGolden(name, read(join(made, name)), read(join(goldens, name)))).toBe("");
  });

  test("passes the project's own formatter and linter without a change", () => {
    // The committed project is the same, and resolves our packages.
    const cwd = join(goldens, name);
    for (const [program, ...args] of [
      ["oxfmt/bin/oxfmt", "--check"],
      ["oxlint/bin/oxlint", "--type-aware", "--deny-warnings"],
    ] as const) {
      const path = join(repository, "node_modules", program);
      const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
        cwd,
        encoding: "utf8",
      });
      expect(status, `${mendTemplate}:\n${stdout}${stderr}`).toBe(0);
    }
  });
});

test("the golden projects compile with their own compiler options", () => {
  const options = JSON.parse(readFileSync(join(goldens, goldenProjects[0]!, "tsconfig.json"), "utf8")) as {
    compilerOptions: object;
  };
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-golden-"));
  const config = join(folder, "tsconfig.json");
  const source = {
    customConditions: ["@tsbuilder/source"],
    typeRoots: [join(repository, "node_modules/@types")],
  };
  const include = ["api", "src", "test", "*.ts"].map((part) => join(goldens, "*", part));
  writeFileSync(
    config,
    JSON.stringify({ compilerOptions: { ...options.compilerOptions, ...source }, include }),
  );
  const tsc = join(repository, "node_modules/typescript-native/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", config, "--pretty", "false"], {
    cwd: repository,
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  // Our own sources are stricter about optional properties than a project is; they are checked separately.
  const errors = stdout.split("\n").filter((line) => line.startsWith("e2e/golden/"));
  expect(errors.length === 0 ? "" : [...errors, mendTemplate].join("\n")).toBe("");
});

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
