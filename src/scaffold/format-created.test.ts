import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Draft, memoryTree } from "./tree.ts";
import { formatCreated } from "./format-created.ts";

const long = `export const value = call("${"a".repeat(50)}", "${"b".repeat(50)}");\n`;
const formatted = `export const value = call(\n  "${"a".repeat(50)}",\n  "${"b".repeat(50)}",\n);\n`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-format-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const install = (): void => {
  mkdirSync(join(root, "node_modules"));
  const oxfmt = dirname(createRequire(import.meta.url).resolve("oxfmt/package.json"));
  symlinkSync(oxfmt, join(root, "node_modules/oxfmt"));
};

const written = { isShown: false };

test("formatCreated() breaks a line that a long name made too long", () => {
  install();
  const draft = new Draft(memoryTree({ "src/old.ts": "" }));
  draft.write("src/new.ts", long);
  draft.write("src/old.ts", long);
  formatCreated(root, draft, written);
  expect(draft.read("src/new.ts")).toBe(formatted);
  expect(draft.read("src/old.ts")).toBe(long);
});

test("formatCreated() changes nothing without a formatter", () => {
  const draft = new Draft(memoryTree());
  draft.write("src/new.ts", long);
  formatCreated(root, draft, written);
  expect(draft.read("src/new.ts")).toBe(long);
});

test("formatCreated() uses Biome in a project of an older version, which has no other formatter", () => {
  const bin = join(root, "node_modules/@biomejs/biome/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "biome"), "process.stdout.write(process.argv.slice(2).join());");
  const draft = new Draft(memoryTree());
  draft.write("src/new.ts", long);
  formatCreated(root, draft, written);
  expect(draft.read("src/new.ts")).toBe("format,--stdin-file-path=src/new.ts");
});

test("formatCreated() runs nothing of the project for a plan that is only shown, and says so", () => {
  const bin = join(root, "node_modules/oxfmt/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "oxfmt"), `require("node:fs").writeFileSync("ran", "");`);
  const draft = new Draft(memoryTree());
  draft.write("src/new.ts", long);
  expect(formatCreated(root, draft, { isShown: true })).toEqual([
    '"src/new.ts" will be formatted when it is written',
  ]);
  expect(draft.read("src/new.ts")).toBe(long);
  expect(existsSync(join(root, "ran"))).toBe(false);
});
