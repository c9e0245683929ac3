import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { applyPlan, recoverPlan } from "./apply.ts";
import type { FileChange } from "./file-change.ts";

let root: string;
let outside: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-outside-"));
  root = join(folder, "project");
  outside = join(folder, "outside");
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, "theirs"), "theirs");
});
afterEach(() => rmSync(join(root, ".."), { recursive: true }));

const create = (path: string): FileChange => ({
  path,
  action: "create",
  content: "ours",
  before: undefined,
  ownership: "yours",
});
const remove = (path: string): FileChange => ({
  path,
  action: "delete",
  content: undefined,
  before: undefined,
  ownership: "yours",
});
const expectUntouched = (): void => {
  expect(readdirSync(outside)).toEqual(["theirs"]);
  expect(readFileSync(join(outside, "theirs"), "utf8")).toBe("theirs");
};

describe("applyPlan() writes nothing at all", () => {
  test.each(["../outside/x", "a/../../outside/x", "/tmp/x", "..", ".", "", "a\\..\\..\\x", "a\0b"])(
    "where a path is %j",
    (path) => {
      expect(() => applyPlan(root, [create("inside"), create(path)])).toThrow("outside of the project");
      expect(readdirSync(root)).toEqual([]);
      expectUntouched();
    },
  );

  test.each([
    ["a folder", "config", "config/x"],
    ["a folder on the way", "config", "config/crd/bases/x"],
    ["the file", "config", "config"],
    ["tsbuilder's own folder", ".tsbuilder", "x"],
  ])("where %s is a link that leads out", (_, link, path) => {
    symlinkSync(outside, join(root, link));
    expect(() => applyPlan(root, [create("inside"), create(path)])).toThrow(`"${link}" is a symbolic link`);
    expect(readdirSync(root)).toEqual([link]);
    expectUntouched();
  });

  test("where a link leads to what is not there yet", () => {
    symlinkSync(join(outside, "later"), join(root, "config"));
    expect(() => applyPlan(root, [create("config/x")])).toThrow(`"config" is a symbolic link`);
    expectUntouched();
  });

  test("where a file to delete is outside", () => {
    symlinkSync(outside, join(root, "config"));
    expect(() => applyPlan(root, [remove("config/theirs")])).toThrow(`"config" is a symbolic link`);
    expect(() => applyPlan(root, [remove("../outside/theirs")])).toThrow("outside of the project");
    expectUntouched();
  });
});

test("applyPlan() follows a link that stays in the project, also where the project is reached by one", () => {
  mkdirSync(join(root, "deploy"));
  symlinkSync("deploy", join(root, "config"));
  symlinkSync(root, join(root, "../by-link"));
  applyPlan(join(root, "../by-link"), [create("config/x"), create("./y")]);
  expect(readFileSync(join(root, "deploy/x"), "utf8")).toBe("ours");
  expect(existsSync(join(root, "y"))).toBe(true);
});

test.each([
  ["a file to write", { path: "../outside/x", staged: ".tsbuilder/stage/0" }],
  ["a file to take", { path: "x", staged: "../outside/theirs" }],
  ["a file to delete", { path: "../outside/theirs" }],
])("recoverPlan() believes no journal that names %s outside", (_, step) => {
  mkdirSync(join(root, ".tsbuilder/stage"), { recursive: true });
  writeFileSync(join(root, ".tsbuilder/stage/0"), "ours");
  writeFileSync(join(root, ".tsbuilder/stage/journal.json"), JSON.stringify({ steps: [step] }));
  expect(() => recoverPlan(root)).toThrow("outside of the project");
  expectUntouched();
});
