import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { lockSession } from "./lock-session.ts";

const folder = join(mkdtempSync(join(tmpdir(), "tsbuilder-lock-")), "dev");
afterAll(() => rmSync(join(folder, ".."), { recursive: true }));

test("lockSession() takes a folder once, and again when it was released", () => {
  const release = lockSession(folder);
  expect(() => lockSession(folder)).toThrow(`runs in this project already, as process ${process.pid}`);
  release();
  expect(existsSync(join(folder, "pid"))).toBe(false);
  lockSession(folder)();
});

test("lockSession() takes over what an older tsbuilder left, which wrote no time", () => {
  writeFileSync(join(folder, "pid"), `${process.ppid}\n`);
  const release = lockSession(folder);
  expect(Number.parseInt(readFileSync(join(folder, "pid"), "utf8"), 10)).toBe(process.pid);
  release();
});
