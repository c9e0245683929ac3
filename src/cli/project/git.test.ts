import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askGit, git, isRepository } from "./git.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-git-"));
  vi.stubEnv("PATH", root);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

/** From now on, git ends with this exit code, after a message. */
function gitEndsWith(exitCode: number, message = "fatal: bad object"): void {
  writeFileSync(join(root, "git"), `#!/bin/sh\necho "${message}" >&2\nexit ${exitCode}\n`);
  chmodSync(join(root, "git"), 0o755);
}

test("where git may find nothing, only its exit code 1 says so", () => {
  gitEndsWith(1);
  expect(askGit(root, ["check-ignore", "a"])).toBeUndefined();
  expect(() => git(root, ["check-ignore", "a"])).toThrow("git check-ignore a failed\nfatal: bad object");
  gitEndsWith(2);
  expect(() => askGit(root, ["check-ignore", "a"])).toThrow("git check-ignore a failed\nfatal: bad object");
});

test("a folder is under no version control only if git says so", () => {
  gitEndsWith(128, "fatal: not a git repository");
  expect(isRepository(root)).toBe(false);
  gitEndsWith(128, "fatal: detected dubious ownership in repository");
  expect(() => isRepository(root)).toThrow("dubious ownership");
});
