import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { lockSession } from "./lock-session.ts";

const folder = join(mkdtempSync(join(tmpdir(), "tsbuilder-lock-")), "dev");
afterAll(() => rmSync(join(folder, ".."), { recursive: true }));

test("lockSession() takes a folder once, and again when it was released", () => {
  const release = lockSession(folder);
  writeFileSync(join(folder, "pid"), `${process.ppid}\n`);
  expect(() => lockSession(folder)).toThrow(`runs in this project already, as process ${process.ppid}`);
  release();
  expect(existsSync(join(folder, "pid"))).toBe(false);
  lockSession(folder)();
});

test.each([
  ["of a process that is gone", () => String(spawnSync(process.execPath, ["--version"]).pid)],
  ["that was torn", () => ""],
])("lockSession() takes over a lock %s", (_, content) => {
  writeFileSync(join(folder, "pid"), content());
  const release = lockSession(folder);
  expect(Number(readFileSync(join(folder, "pid"), "utf8"))).toBe(process.pid);
  release();
});
