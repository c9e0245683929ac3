import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockSession, readReconciles } from "../running-session.ts";
import type { RecordedReconcile } from "./recorded.ts";
import { RecordFile } from "./record-file.ts";

let root: string;
let record: RecordFile;
const folder = () => join(root, ".tsbuilder/dev");
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "record "));
  mkdirSync(folder(), { recursive: true });
  record = new RecordFile(folder());
});
afterEach(() => rmSync(root, { recursive: true }));

const some = { at: "2026-01-01T00:00:00.000Z", controller: "mysql", reconcileID: "1" };
const reconcile = (request: string, more: Partial<RecordedReconcile> = {}): RecordedReconcile => ({
  ...some,
  request,
  causes: [],
  requests: [],
  outcome: "done",
  ...more,
});

test("what was appended is read, the last ones of each question", () => {
  record.clear();
  record.append([reconcile("default/a"), reconcile("other/a"), reconcile("default/b", { outcome: "error" })]);
  record.append([reconcile("default/a", { controller: "backup" })]);
  const names = (query: Parameters<typeof readReconciles>[1]) =>
    readReconciles(root, query).reconciles.map(({ controller, request }) => `${controller} ${request}`);
  expect(names({})).toEqual(["mysql default/a", "mysql other/a", "mysql default/b", "backup default/a"]);
  expect(names({ request: "a" })).toEqual(["mysql default/a", "mysql other/a", "backup default/a"]);
  expect(names({ request: "default/a", controller: "mysql" })).toEqual(["mysql default/a"]);
  expect(names({ outcome: "error" })).toEqual(["mysql default/b"]);
  expect(names({ last: 2 })).toEqual(["mysql default/b", "backup default/a"]);
});

test("the oldest are dropped, so the files stay below 5 MB", () => {
  record.clear();
  for (let n = 0; n < 100; n++) record.append([reconcile(`default/${n}`, { error: "x".repeat(100_000) })]);
  const sizes = readdirSync(folder()).map((file) => statSync(join(folder(), file)).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(5e6);
  const kept = record.read()!.map(({ request }) => request);
  expect(kept).toContain("default/99");
  expect(kept).not.toContain("default/0");
});

test("a new session forgets the one before, and a line that is being written is left out", () => {
  record.append([reconcile("default/a")]);
  record.clear();
  expect(readReconciles(root, {})).toEqual({ isRunning: false, reconciles: [] });
  record.append([reconcile("default/b")]);
  appendFileSync(join(folder(), "reconciles.jsonl"), '{"at":');
  const release = lockSession(folder());
  expect(readReconciles(root, {})).toMatchObject({ isRunning: true, reconciles: [{ request: "default/b" }] });
  release();
});

test("without any session, the error says how to start one", () => {
  expect(() => readReconciles(root, {})).toThrow("tsbuilder dev has not run an operator in this project");
});

test("what a clone brought instead is left out: lines that are no reconciles, and links", () => {
  record.clear();
  const theirs = ["{", "null", "7", '{"controller":7,"request":"a"}', '{"controller":"mysql"}', ""];
  appendFileSync(join(folder(), "reconciles.jsonl"), theirs.map((line) => `${line}\n`).join(""));
  record.append([reconcile("default/a")]);
  expect(readReconciles(root, { request: "a" }).reconciles).toEqual([reconcile("default/a")]);
  symlinkSync("/etc/passwd", join(folder(), "reconciles.older.jsonl"));
  expect(() => readReconciles(root, {})).toThrow("is a symbolic link");
});
