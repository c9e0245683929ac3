import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { leavePlan } from "../../e2e/support/projects/interrupted-plan.ts";
import { applyPlan, findUnfinished, openStateFolder, recoverPlan } from "./apply.ts";
import { type FileChange, diskTree } from "./tree.ts";

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

/** All paths, with the texts of files. */
const everything = (folder = root): unknown[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return [path, ...everything(path)];
    return [path, entry.isFile() ? readFileSync(path, "utf8") : readlinkSync(path)];
  });

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
  test("does nothing in a complete project", () => {
    expect(recoverPlan(root)).toBeUndefined();
  });

  test("deletes incomplete staging", () => {
    mkdirSync(join(root, ".tsbuilder/stage"), { recursive: true });
    writeFileSync(join(root, ".tsbuilder/stage/0"), "a");
    expect(findUnfinished(root)).toBe("incomplete");
    expect(recoverPlan(root)).toBe("undone");
    expect(existsSync(join(root, ".tsbuilder"))).toBe(false);
  });

  test("completes what was staged, from any step", () => {
    writeFileSync(join(root, "a"), "a");
    writeFileSync(join(root, "gone"), "gone");
    leavePlan(root, [
      { path: "a", content: "a", isDone: true },
      { path: "b/c", content: "c" },
      { path: "gone" },
    ]);
    expect(findUnfinished(root)).toBe("staged");
    expect(recoverPlan(root)).toBe("completed");
    expect(files()).toEqual({ a: "a", "b/c": "c" });
    expect(recoverPlan(root)).toBeUndefined();
  });

  describe("makes nothing of", () => {
    /** Leaves something, which then refuses all plans. */
    const refused: Record<string, () => void> = {
      "a journal of others": () => leavePlan(root, [{ path: "a", content: "evil" }], { own: false }),
      "our own journal in another folder": () => {
        const elsewhere = mkdtempSync(join(tmpdir(), "tsbuilder-apply-"));
        leavePlan(elsewhere, [{ path: "a", content: "evil" }]);
        cpSync(elsewhere, root, { recursive: true });
        rmSync(elsewhere, { recursive: true });
      },
      "our own journal that others changed": () => {
        leavePlan(root, [{ path: "b", content: "evil" }]);
        const file = join(root, ".tsbuilder/stage/journal.json");
        writeFileSync(file, readFileSync(file, "utf8").replace('"b"', '"a"'));
      },
      "our own journal, with a staged file that others changed": () => {
        leavePlan(root, [{ path: "a", content: "ours" }]);
        writeFileSync(join(root, ".tsbuilder/stage/0"), "evil");
      },
      "our own journal, with a file that became a link": () => {
        leavePlan(root, [{ path: "link", content: "ours" }]);
        mkdirSync(join(root, ".git/hooks"), { recursive: true });
        writeFileSync(join(root, ".git/hooks/pre-commit"), "theirs");
        symlinkSync(".git/hooks/pre-commit", join(root, "link"));
      },
      "a stage that is a link": () => {
        mkdirSync(join(root, "stage"));
        mkdirSync(join(root, ".tsbuilder"));
        symlinkSync("../stage", join(root, ".tsbuilder/stage"));
      },
      "a journal that a power loss cut": () => {
        leavePlan(root, [{ path: "a", content: "ours" }]);
        writeFileSync(join(root, ".tsbuilder/stage/journal.json"), "");
      },
    };

    test.each(Object.entries(refused))("%s", (_, leave) => {
      writeFileSync(join(root, "a"), "mine");
      leave();
      const before = everything();
      for (const work of [() => recoverPlan(root), () => applyPlan(root, [write("other", "x")])])
        expect(work).toThrow(expect.objectContaining({ code: "REFUSED" }) as Error);
      expect(everything()).toEqual(before);
    });
  });

  test("says how to go on without a journal of others", () => {
    leavePlan(root, [{ path: ".git/hooks/pre-commit", content: "evil" }], { own: false });
    expect(findUnfinished(root)).toBe("foreign");
    expect(() => recoverPlan(root)).toThrow(
      expect.objectContaining({
        message:
          'tsbuilder did not write ".tsbuilder/stage/journal.json" for you on this machine, or there is no folder to remember it in',
        hint: expect.stringMatching(/rm -r \.tsbuilder\/stage$/u) as string,
      }) as Error,
    );
  });
});

test("git ignores what lies in .tsbuilder, but for the records of the project", () => {
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  applyPlan(root, [write(".tsbuilder/owned.json", "{}"), write(".tsbuilder/plugins.json", "{}")]);
  writeFileSync(join(openStateFolder(root, "dev"), "kubeconfig"), "{}");
  execFileSync("git", ["add", "--all"], { cwd: root });
  const added = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" });
  expect(added.trim().split("\n")).toEqual([".tsbuilder/owned.json", ".tsbuilder/plugins.json"]);
});

describe("openStateFolder() makes nothing", () => {
  test.each([
    ".tsbuilder",
    ".tsbuilder/dev",
    ".tsbuilder/dev/kubeconfig",
    ".tsbuilder/dev/webhook-certs/tls.key",
  ])("if %s is a link", (path) => {
    mkdirSync(join(root, "elsewhere"));
    mkdirSync(join(root, path, ".."), { recursive: true });
    symlinkSync(join(root, "elsewhere"), join(root, path));
    const before = everything();
    expect(() => openStateFolder(root, "dev")).toThrow(`"${path}" is a symbolic link`);
    expect(everything()).toEqual(before);
  });
});
