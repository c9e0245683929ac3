import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { lockSession } from "./running-session.ts";

const folder = join(mkdtempSync(join(tmpdir(), "tsbuilder-lock-")), "dev");
afterAll(() => rmSync(join(folder, ".."), { recursive: true }));

test("lockSession() locks a folder once, and again after it was released", () => {
  const release = lockSession(folder);
  expect(() => lockSession(folder)).toThrow(`is already running in this project, as process ${process.pid}`);
  release();
  expect(existsSync(join(folder, "pid"))).toBe(false);
  lockSession(folder)();
});

test("lockSession() replaces the lock of an older tsbuilder, which has no start time", () => {
  writeFileSync(join(folder, "pid"), `${process.ppid}\n`);
  const release = lockSession(folder);
  expect(Number.parseInt(readFileSync(join(folder, "pid"), "utf8"), 10)).toBe(process.pid);
  release();
});
