import { expect, test } from "vitest";
import { packageManagerOf } from "../../project/package-manager.ts";
import { explainRemoved } from "./plan-upgrade.ts";

const explain = (before: object, after: object): string[] =>
  explainRemoved(JSON.stringify(before), JSON.stringify(after), packageManagerOf("/nowhere"));

test("explainRemoved() says how a package is installed again", () => {
  const before = { dependencies: { pino: "10.0.0" }, devDependencies: { "@biomejs/biome": "2.5.4", a: "1" } };
  expect(explain(before, { devDependencies: { a: "2" } })).toEqual([
    'package.json: removed "pino", which new projects no longer use; if you do, npm install pino@10.0.0',
    'package.json: removed "@biomejs/biome", which new projects no longer use; if you do, npm install --save-dev @biomejs/biome@2.5.4',
  ]);
});

test("explainRemoved() does not report a package that moved to another section, or that is new", () => {
  expect(explain({ dependencies: { a: "1" } }, { devDependencies: { a: "1", b: "1" } })).toEqual([]);
});

test("explainRemoved() reports nothing of files with conflicts", () => {
  expect(
    explainRemoved('{ "dependencies": { "a": "1" } }', "<<<<<<< yours", packageManagerOf("/nowhere")),
  ).toEqual([]);
});
