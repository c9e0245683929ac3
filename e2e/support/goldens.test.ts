import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everythingBelow } from "../../src/scaffold/tree.ts";
import { goldenProjects, makeGolden } from "../golden/golden-projects.ts";
import { repository } from "./source-imports.ts";

const goldens = join(repository, "e2e/golden");
let made: string;

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), "tsbuilder-golden-"));
  for (const name of goldenProjects) await makeGolden(name, made);
}, 60_000);
afterAll(() => rmSync(made, { recursive: true, force: true }));

describe.each(goldenProjects)("the golden project %s", (name) => {
  test("is what its script makes now (npm run golden rewrites it)", () => {
    expect(read(join(made, name))).toEqual(read(join(goldens, name)));
  });

  test("passes the project's own formatter and linter without a change", () => {
    const biome = join(repository, "node_modules/@biomejs/biome/bin/biome");
    const cwd = join(made, name);
    for (const args of [["format"], ["lint", "--error-on-warnings"]]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [biome, ...args], {
        cwd,
        encoding: "utf8",
      });
      expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" });
    }
  });
});

test("the golden projects compile with the options that they have", () => {
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
  // Our own sources are stricter about optional properties than a project is; they have a check of their own.
  expect(stdout.split("\n").filter((line) => line.startsWith("e2e/golden/"))).toEqual([]);
});

/** A golden says in its script how it is made; what git ignores does not belong to it. */
function read(folder: string): Record<string, string> {
  return Object.fromEntries(
    everythingBelow(folder)
      .list("")
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );
}
