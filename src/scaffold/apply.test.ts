import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { applyPlan, recoverPlan } from "./apply.ts";
import type { FileChange } from "./file-change.ts";
import { diskTree } from "./tree.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-apply-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, content: string): FileChange => {
  const before = diskTree(root).read(path);
  return { path, content, before, action: before === undefined ? "create" : "update", ownership: "yours" };
};
const remove = (path: string): FileChange => ({
  path,
  content: undefined,
  before: diskTree(root).read(path),
  action: "delete",
  ownership: "yours",
});
const files = (): Record<string, string> =>
  Object.fromEntries(
    diskTree(root)
      .list("")
      .map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );

describe("applyPlan()", () => {
  test("creates, replaces and deletes files, and deletes empty folders", () => {
    writeFileSync(join(root, "old"), "old");
    mkdirSync(join(root, "a/b"), { recursive: true });
    writeFileSync(join(root, "a/b/gone"), "gone");
    applyPlan(root, [write("new/file", "new"), write("old", "changed"), remove("a/b/gone")]);
    expect(files()).toEqual({ "new/file": "new", old: "changed" });
    expect(existsSync(join(root, "a"))).toBe(false);
    expect(existsSync(join(root, ".tsbuilder/stage"))).toBe(false);
  });

  test("changes nothing if a file was saved since it was read", () => {
    writeFileSync(join(root, "file"), "as read");
    const changes = [write("other", "x"), write("file", "ours")];
    writeFileSync(join(root, "file"), "saved meanwhile");
    expect(() => applyPlan(root, changes)).toThrow(`"file" changed while the command was running`);
    expect(files()).toEqual({ file: "saved meanwhile" });
  });

  test("changes nothing if a file to create already exists", () => {
    const changes = [write("file", "ours")];
    writeFileSync(join(root, "file"), "theirs");
    expect(() => applyPlan(root, changes)).toThrow(`"file" changed`);
    expect(files()).toEqual({ file: "theirs" });
  });

  test("leaves nothing behind if a file cannot be staged", () => {
    const changes: FileChange[] = [
      write("a", "a"),
      { ...write("b", ""), content: Symbol("no content") as unknown as string },
    ];
    expect(() => applyPlan(root, changes)).toThrow();
    expect(existsSync(join(root, ".tsbuilder"))).toBe(false);
    expect(files()).toEqual({});
  });
});

describe("applyPlan(), when a file cannot be written,", () => {
  const never = (): void => undefined;
  /** What is in the way, before the plan or by its own doing, and the error. */
  const obstacles: Record<string, [obstruct: () => void, code: string, own?: string]> = {
    "a folder": [() => mkdirSync(join(root, "z/last"), { recursive: true }), "EISDIR"],
    "a file where a folder is needed": [() => writeFileSync(join(root, "z"), "mine"), "ENOTDIR"],
    "a folder, at the last moment": [never, "EISDIR", "z/last/file"],
    "a file where a folder is needed, at the last moment": [never, "EEXIST", "z"],
  };

  test.each(Object.entries(obstacles))("leaves everything as it was: %s", (_, [obstruct, code, own]) => {
    for (const folder of ["a/b", "empty"]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "old"), "old", { mode: 0o755 });
    writeFileSync(join(root, "a/b/gone"), "gone");
    const changes = [
      write("new/x/file", "new"),
      write("empty/file", "new"),
      write("old", "changed"),
      remove("a/b/gone"),
      ...(own === undefined ? [] : [write(own, "own")]),
      { ...write("z/last", "last"), action: "update" } as const,
    ];
    obstruct();
    const [before, folders] = [files(), readdirSync(root)];
    expect(() => applyPlan(root, changes)).toThrow(
      expect.objectContaining({ code, path: join(root, "z/last") }) as Error,
    );
    expect(files()).toEqual(before);
    expect(readdirSync(root).filter((name) => name !== ".tsbuilder")).toEqual(folders);
    expect(existsSync(join(root, ".tsbuilder/stage"))).toBe(false);
    expect(statSync(join(root, "old")).mode & 0o777).toBe(0o755);
    expect(recoverPlan(root)).toBeUndefined();
  });
});

test("a replaced file keeps its permissions, and a link leads to what replaces it", () => {
  writeFileSync(join(root, "script"), "old", { mode: 0o755 });
  mkdirSync(join(root, "conf"));
  writeFileSync(join(root, "conf/PROJECT"), "old");
  symlinkSync("conf/PROJECT", join(root, "PROJECT"));
  applyPlan(root, [write("script", "new"), write("PROJECT", "new")]);
  expect(statSync(join(root, "script")).mode & 0o777).toBe(0o755);
  expect(lstatSync(join(root, "PROJECT")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(root, "conf/PROJECT"), "utf8")).toBe("new");
});

describe("recoverPlan()", () => {
  const staged = (steps: readonly unknown[], contents: Record<string, string>, isComplete: boolean): void => {
    mkdirSync(join(root, ".tsbuilder/stage"), { recursive: true });
    for (const [name, content] of Object.entries(contents)) {
      writeFileSync(join(root, ".tsbuilder/stage", name), content);
    }
    if (isComplete) writeFileSync(join(root, ".tsbuilder/stage/journal.json"), JSON.stringify({ steps }));
  };
  const steps = [
    { path: "a", staged: ".tsbuilder/stage/0" },
    { path: "b/c", staged: ".tsbuilder/stage/1" },
    { path: "gone", staged: undefined },
  ];

  test("does nothing in a complete project", () => {
    expect(recoverPlan(root)).toBeUndefined();
  });

  test("deletes incomplete staging", () => {
    staged(steps, { 0: "a" }, false);
    expect(recoverPlan(root)).toBe("undone");
    expect(existsSync(join(root, ".tsbuilder"))).toBe(false);
  });

  test("completes what was staged, from any step", () => {
    writeFileSync(join(root, "a"), "a");
    writeFileSync(join(root, "gone"), "gone");
    staged(steps, { 1: "c" }, true);
    expect(recoverPlan(root)).toBe("completed");
    expect(files()).toEqual({ a: "a", "b/c": "c" });
    expect(recoverPlan(root)).toBeUndefined();
  });

  test.each([
    "",
    "{",
    "[]",
    "{}",
    '{"steps":[null]}',
    '{"steps":[{"path":1}]}',
    '{"steps":[{"path":"a","staged":[]}]}',
  ])("says what to do about the journal %j of a power loss", (text) => {
    staged([], {}, true);
    writeFileSync(join(root, ".tsbuilder/stage/journal.json"), text);
    expect(() => recoverPlan(root)).toThrow(
      expect.objectContaining({
        code: "INVALID_PROJECT",
        hint: "delete .tsbuilder/stage, and compare the project with version control",
      }) as Error,
    );
  });
});
