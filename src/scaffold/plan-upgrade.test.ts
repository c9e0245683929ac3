import { describe, expect, test } from "vitest";
import { Draft, type FileChange, memoryTree } from "./tree.ts";
import { hashText, OwnedFiles } from "./owned-files.ts";
import { type ConflictChoice, type FileConflict, planUpgrade } from "./plan-upgrade.ts";

type Files = Readonly<Record<string, string>>;

/** The project after an upgrade, and the notes for the user. */
function upgrade(
  theirs: Files,
  base: Files,
  next: Files,
  { onConflict = "refuse", owned = {} }: { onConflict?: ConflictChoice; owned?: Files } = {},
): { files: Record<string, string>; notes: readonly string[]; marked: readonly FileConflict[] } {
  const draft = new Draft(memoryTree(theirs));
  const files = Object.entries(next).map(([path, content]): FileChange => ({
    path,
    content,
    action: "create",
    before: undefined,
    ownership: "yours",
  }));
  const outcome = planUpgrade(draft, {
    base: new Map(Object.entries(base)),
    next: files,
    owned: new OwnedFiles(Object.entries(owned).map(([path, text]) => [path, hashText(text)])),
    onConflict,
    name: "tsbuilder 2",
  });
  return { files: Object.fromEntries(draft.list("").map((path) => [path, draft.read(path)!])), ...outcome };
}

const lines = (...words: string[]): string => words.join("\n");

describe("planUpgrade()", () => {
  test("overwrites unedited files, and adds new ones", () => {
    const { files, notes } = upgrade({ a: "1" }, { a: "1" }, { a: "2", b: "new" });
    expect(files).toEqual({ a: "2", b: "new" });
    expect(notes).toEqual([]);
  });

  test("overwrites files that differ only in their formatting", () => {
    expect(upgrade({ a: "1 " }, { a: "1" }, { a: "2" }, { owned: { a: "1 " } }).files).toEqual({ a: "2" });
  });

  test("merges changes into files that the user edited elsewhere", () => {
    const base = lines("a", "b", "c", "d");
    const { files } = upgrade(
      { x: lines("a", "b", "c", "mine") },
      { x: base },
      { x: lines("A", "b", "c", "d") },
    );
    expect(files).toEqual({ x: lines("A", "b", "c", "mine") });
  });

  test("merges into a file with Windows' line ends, which it keeps", () => {
    const theirs = "a\r\nb\r\nc\r\nmine\r\n";
    const draft = new Draft(memoryTree({ x: theirs, same: "1\r\n2\r\n", old: "1\r\n2\r\n" }));
    const next = { x: "A\nb\nc\nd\n", same: "1\n2\n" };
    const { notes } = planUpgrade(draft, {
      base: new Map([
        ["x", "a\nb\nc\nd\n"],
        ["same", "0\n2\n"],
        ["old", "1\n2\n"],
      ]),
      next: Object.entries(next).map(([path, content]): FileChange => ({
        path,
        content,
        action: "create",
        before: undefined,
        ownership: "yours",
      })),
      owned: new OwnedFiles([["old", hashText("1\n2\n")]]),
      onConflict: "refuse",
      name: "tsbuilder 2",
    });
    expect(draft.changes()).toMatchObject([
      { path: "x", content: "A\r\nb\r\nc\r\nmine\r\n" },
      { path: "old", content: undefined },
    ]);
    expect(notes).toEqual([]);
  });

  test("keeps the user's file if our text did not change", () => {
    expect(upgrade({ x: "mine" }, { x: "1" }, { x: "1" })).toMatchObject({
      files: { x: "mine" },
      notes: [],
    });
  });

  test("merges package.json by its keys", () => {
    const file = (own: string, rest: object = {}): string =>
      JSON.stringify({ dependencies: { own, ...rest } }, undefined, 2);
    const { files } = upgrade(
      { "package.json": file("1", { mine: "1" }) },
      { "package.json": file("1") },
      { "package.json": file("2") },
    );
    expect(JSON.parse(files["package.json"]!)).toEqual({ dependencies: { own: "2", mine: "1" } });
  });

  test("does not restore what the user deleted", () => {
    const { files, notes } = upgrade({}, { x: "1" }, { x: "2" });
    expect(files).toEqual({});
    expect(notes).toEqual([`"x" has new changes, but was not restored since you deleted it`]);
  });

  test("deletes files that new projects no longer contain, unless the user edited them", () => {
    const { files, notes } = upgrade({ x: "1", y: "mine" }, { x: "1", y: "1" }, {});
    expect(files).toEqual({ y: "mine" });
    expect(notes).toEqual([`kept "y", which you edited; new projects no longer contain it`]);
  });

  describe("if another file replaces one", () => {
    const [base, next] = [{ "biome.json": "1" }, { ".oxfmtrc.json": "2" }];

    test("says nothing of one that the user left alone", () => {
      const { files, notes } = upgrade(base, base, next);
      expect(files).toEqual(next);
      expect(notes).toEqual([]);
    });

    test("says where the settings of one belong that the user edited", () => {
      const { files, notes } = upgrade({ "biome.json": "mine" }, base, next);
      expect(files).toEqual({ "biome.json": "mine", ...next });
      expect(notes).toEqual([
        'kept "biome.json", which you edited; ".oxfmtrc.json" replaces it: copy your settings to that before npm run fmt, then delete it',
      ]);
    });

    test("names the new one if the user has the old one no more", () => {
      const { files, notes } = upgrade({ "biome.jsonc": "mine" }, base, next);
      expect(files).toEqual({ "biome.jsonc": "mine", ...next });
      expect(notes).toEqual([
        '".oxfmtrc.json" replaces "biome.json", which you deleted or renamed: copy your settings to it before npm run fmt, or delete it if you use something else',
      ]);
    });

    test("does not name a new one that is left out", () => {
      expect(upgrade({}, base, {}).notes).toEqual([]);
    });
  });

  describe("on conflicts", () => {
    const [theirs, base, next] = [{ x: "mine" }, { x: "1" }, { x: "2" }];

    test("fails, and names the files", () => {
      expect(() => upgrade(theirs, base, next)).toThrow(`conflicts with your changes in "x"`);
    });

    test("keeps the user's version with --keep, and writes ours next to it", () => {
      const { files, notes } = upgrade(theirs, base, next, { onConflict: "keep" });
      expect(files).toEqual({ x: "mine", "x.new": "2" });
      expect(notes).toEqual([`kept "x", which you edited; the new version is "x.new": merge it by hand`]);
    });

    test("overwrites the user's version with --force", () => {
      expect(upgrade(theirs, base, next, { onConflict: "overwrite" }).files).toEqual({ x: "2" });
    });

    test("marks both sides for a branch, and says where they are", () => {
      const edited = { x: lines("a", "mine", "c"), y: "theirs" };
      const { files, marked } = upgrade(
        edited,
        { x: lines("a", "b", "c") },
        { x: lines("a", "ours", "c"), y: "new" },
        { onConflict: "mark" },
      );
      expect(files["x"]).toBe(
        lines("a", "<<<<<<< yours", "mine", "=======", "ours", ">>>>>>> tsbuilder 2", "c"),
      );
      expect(marked).toEqual([
        { path: "x", line: 2, ours: "ours", theirs: "mine" },
        { path: "y", line: 1, ours: "new", theirs: "theirs" },
      ]);
    });
  });
});
