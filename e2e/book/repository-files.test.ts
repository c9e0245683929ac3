import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { listRepositoryFiles } from "./check-book.ts";

const root = mkdtempSync(join(tmpdir(), "tsbuilder-repository-files-"));
afterAll(() => rmSync(root, { recursive: true }));

const write = (path: string, text = ""): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

test("a tree with git and the same tree without it have the same files", () => {
  write(".gitignore", "# built\nnode_modules/\n*.log\n/tables/generated\nsrc/**/kept\n!important.log\n");
  write("inner/.gitignore", "out/\n/secret?.txt\n");
  for (const path of [
    "README.md",
    ".config/limits.ts",
    "tables/generated/a.ts",
    "inner/tables/generated/a.ts",
    "src/kept",
    "src/a/b/kept",
    "node_modules/a.ts",
    "inner/node_modules/a.ts",
    "src/node_modules",
    "debug.log",
    "src/important.log",
    "inner/out/a",
    "src/out/a",
    "inner/secret1.txt",
    "inner/a/secret1.txt",
    "inner/secretXtxt",
  ])
    write(path);
  const without = listRepositoryFiles(root);
  expect(without).toEqual([
    ".config/limits.ts",
    ".gitignore",
    "README.md",
    "inner/.gitignore",
    "inner/a/secret1.txt",
    "inner/secretXtxt",
    "inner/tables/generated/a.ts",
    "src/important.log",
    "src/node_modules",
    "src/out/a",
  ]);
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  expect(listRepositoryFiles(root)).toEqual(without);
});

test("files that git has in its index and that are deleted are not listed", () => {
  write("gone");
  execFileSync("git", ["add", "gone"], { cwd: root });
  rmSync(join(root, "gone"));
  expect(listRepositoryFiles(root)).not.toContain("gone");
});
