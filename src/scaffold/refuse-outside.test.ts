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
import { leavePlan } from "../../e2e/support/projects/interrupted-plan.ts";
import { applyPlan, recoverPlan, refuseLinkedFile } from "./apply.ts";
import type { FileChange } from "./tree.ts";

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
    "if a path is %j",
    (path) => {
      expect(() => applyPlan(root, [create("inside"), create(path)])).toThrow("outside of the project");
      expect(readdirSync(root)).toEqual([]);
      expectUntouched();
    },
  );

  test.each([
    ["a folder", "config", "config/x"],
    ["a parent folder", "config", "config/crd/bases/x"],
    ["the file", "config", "config"],
    ["tsbuilder's own folder", ".tsbuilder", "x"],
  ])("if %s is a link that leads out", (_, link, path) => {
    symlinkSync(outside, join(root, link));
    expect(() => applyPlan(root, [create("inside"), create(path)])).toThrow(`"${link}" is a symbolic link`);
    expect(readdirSync(root)).toEqual([link]);
    expectUntouched();
  });

  test("if a link is dangling", () => {
    symlinkSync(join(outside, "later"), join(root, "config"));
    expect(() => applyPlan(root, [create("config/x")])).toThrow(`"config" is a symbolic link`);
    expectUntouched();
  });

  test("if a file to delete is outside", () => {
    symlinkSync(outside, join(root, "config"));
    expect(() => applyPlan(root, [remove("config/theirs")])).toThrow(`"config" is a symbolic link`);
    expect(() => applyPlan(root, [remove("../outside/theirs")])).toThrow("outside of the project");
    expectUntouched();
  });
});

test("applyPlan() follows a link within the project, also if the project's own path contains one", () => {
  mkdirSync(join(root, "deploy"));
  symlinkSync("deploy", join(root, "config"));
  symlinkSync(root, join(root, "../by-link"));
  applyPlan(join(root, "../by-link"), [create("config/x"), create("./y")]);
  expect(readFileSync(join(root, "deploy/x"), "utf8")).toBe("ours");
  expect(existsSync(join(root, "y"))).toBe(true);
});

describe("applyPlan() writes nothing that other programs run", () => {
  test.each([
    ".git/hooks/pre-commit",
    ".git",
    "sub/.GIT/config",
    ".git./config",
    ".g\u200cit/config",
    "git~1/config",
    "a/node_modules/x/index.js",
    "Node_Modules/x",
    ".husky/pre-commit",
    ".envrc",
  ])("such as %j", (path) => {
    expect(() => applyPlan(root, [create("inside"), create(path)])).toThrow(
      "that git, npm or direnv may run",
    );
    expect(readdirSync(root)).toEqual([]);
  });

  test.each([".github/workflows/test.yml", ".gitignore", ".gitattributes", "docs/.envrc.md"])(
    "but %j is as any file",
    (path) => {
      applyPlan(root, [create(path)]);
      expect(readFileSync(join(root, path), "utf8")).toBe("ours");
    },
  );

  test("through a link within the project", () => {
    mkdirSync(join(root, ".git/hooks"), { recursive: true });
    symlinkSync("../.git/hooks", join(root, "config"));
    symlinkSync(".git/config", join(root, "Makefile"));
    for (const path of ["config/pre-commit", "Makefile"])
      expect(() => applyPlan(root, [create(path)])).toThrow("is a symbolic link");
    expect(readdirSync(join(root, ".git"))).toEqual(["hooks"]);
  });
});

test.each([
  ["a file to write", { path: "../outside/x", content: "ours" }],
  ["a file to delete", { path: "../outside/theirs" }],
  ["a file that git runs", { path: ".git/hooks/pre-commit", content: "ours" }],
])("recoverPlan() rejects even our own journal with %s outside", (_, step) => {
  leavePlan(root, [step]);
  expect(() => recoverPlan(root)).toThrow(expect.objectContaining({ code: "REFUSED" }) as Error);
  expectUntouched();
  expect(readdirSync(root)).toEqual([".tsbuilder"]);
});

test("refuseLinkedFile() rejects a file in the project that is a link out of it, and no other file", () => {
  symlinkSync(join(outside, "theirs"), join(root, "session.jsonl"));
  symlinkSync(outside, join(root, "dist"));
  for (const path of ["session.jsonl", "dist/install.yaml"])
    expect(() => refuseLinkedFile(root, join(root, path))).toThrow("is a symbolic link");
  for (const file of [
    join(root, "kubeconfig"),
    join(root, "new/kubeconfig"),
    join(outside, "x"),
    "/dev/stdout",
  ])
    refuseLinkedFile(root, file);
});
