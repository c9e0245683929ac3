import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readChangedFiles } from "./changed-files.ts";

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-changed-"));
afterAll(() => rmSync(folder, { recursive: true }));
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });

test("readChangedFiles() finds written, added, staged, moved and deleted files with any name", () => {
  git("init", "--quiet");
  for (const name of ["kept", "written", "moved", "deleted"]) writeFileSync(join(folder, name), `${name}\n`);
  writeFileSync(join(folder, ".gitignore"), "ignored\n");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "first");
  expect(readChangedFiles("HEAD", folder)).toEqual({ present: [], deleted: [] });

  writeFileSync(join(folder, "written"), "again\n");
  renameSync(join(folder, "moved"), join(folder, "ünïcode name"));
  rmSync(join(folder, "deleted"));
  writeFileSync(join(folder, "staged"), "");
  git("add", "staged");
  writeFileSync(join(folder, "ignored"), "");
  expect(readChangedFiles("HEAD", folder)).toEqual({
    present: ["staged", "written", "ünïcode name"],
    deleted: ["deleted", "moved"],
  });
});
