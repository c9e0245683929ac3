import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readCommit } from "./commit.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "commit-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim();

function commitFile(): void {
  git("init", "--quiet");
  writeFileSync(join(folder, "file"), "one");
  git("add", "file");
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  git(...author, "commit", "--quiet", "--message", "one");
}

test("names the commit and its date", () => {
  commitFile();
  expect(readCommit(folder)).toEqual({
    id: git("rev-parse", "--short=12", "HEAD"),
    date: git("log", "-1", "--format=%cI"),
  });
});

test("says so where files were changed since", () => {
  commitFile();
  writeFileSync(join(folder, "file"), "two");
  expect(readCommit(folder)?.id).toBe(`${git("rev-parse", "--short=12", "HEAD")}-dirty`);
});

test("knows none for sources without their history", () => {
  expect(readCommit(folder)).toBeUndefined();
});
