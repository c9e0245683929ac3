import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readBaseline } from "./read-baseline.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-baseline-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Puts a program in the place of the project's tsbuilder. */
function install(version: string, marks: object = {}): void {
  const folder = join(root, "node_modules/tsbuilder");
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version, ...marks }));
  const program = `require("node:fs").writeFileSync(process.argv[3] + "/README.md", process.argv[2]);\n`;
  writeFileSync(join(folder, "bin/tsbuilder.js"), program);
}

test.each(["0.1.0", "0.1.0-dev.h1bbee8877e"])(
  "is what the project's own tsbuilder %s scaffolds",
  (version) => {
    install(version);
    expect(readBaseline(root, "0.1.0")).toEqual(new Map([["README.md", "scaffold"]]));
  },
);

test("is refused of another version than the one that scaffolded the project: its templates are others", () => {
  install("0.2.0");
  expect(() => readBaseline(root, "0.1.0")).toThrow(
    expect.objectContaining({
      code: "NOT_FOUND",
      message: "the project was scaffolded by tsbuilder 0.1.0, but 0.2.0 is installed",
    }),
  );
});

test("is refused with the command that installs it, if a registry has it", () => {
  install("0.2.0", { tsbuilder: { released: true } });
  expect(() => readBaseline(root, "0.1.0")).toThrow(
    expect.objectContaining({
      hint: "npm install --save-dev tsbuilder@0.1.0, and then upgrade by the newer one: npx tsbuilder@0.2.0 upgrade",
    }),
  );
});

test("is refused without asking a registry for a version in vendor/, which was never published", () => {
  install("0.2.0", { tsbuilder: { released: true } });
  expect(() => readBaseline(root, "0.1.0-dev.h1bbee8877e")).toThrow(
    expect.objectContaining({
      hint: 'run npm ci; if package.json names another version, restore "vendor/" and what it says of tsbuilder 0.1.0-dev.h1bbee8877e from version control: the upgrade brings the newer ones itself, by npx tsbuilder@0.2.0 upgrade',
    }),
  );
});

test("is missing if the packages are not installed", () => {
  expect(() => readBaseline(root, "0.1.0")).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
});
