import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const path = process.env["PATH"];
beforeEach(() => folder.initialize());
afterEach(() => {
  process.env["PATH"] = path;
});

const manifest = (): string => join(folder.root, "package.json");

test("tsbuilder test says where npm is from if there is none", async () => {
  process.env["PATH"] = folder.root;
  await expect(folder.call("test")).rejects.toMatchObject({
    code: "TOOL_MISSING",
    message: '"npm" is not on the PATH',
  });
});

test.each([
  ["<<<<<<< HEAD\n{}", '"package.json" is not valid JSON'],
  ["null", '"package.json" contains no JSON object'],
  ["{}", 'package.json has no script "test"'],
  ['{ "scripts": null }', 'package.json has no script "test"'],
  [
    '{ "scripts": { "test": "tsbuilder test" } }',
    'the script "test" in package.json runs tsbuilder test, which would never end',
  ],
])("tsbuilder test says what is wrong with the package.json %j", async (text, message) => {
  writeFileSync(manifest(), text);
  await expect(folder.call("test")).rejects.toMatchObject({ code: "INVALID_PROJECT", message });
});

test("tsbuilder test says what is wrong without a package.json", async () => {
  rmSync(manifest());
  await expect(folder.call("test")).rejects.toMatchObject({ message: 'package.json has no script "test"' });
});
