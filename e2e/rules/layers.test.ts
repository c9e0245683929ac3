import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  explainCompilerUsers,
  explainCrossings,
  explainForbidden,
  explainImportedTests,
  explainUnknownRooms,
  readLayers,
} from "./explain-imports.ts";
import { listSources, readImports, repository } from "../support/source-imports.ts";

const layers = readLayers(readFileSync(join(repository, "src/README.md"), "utf8"));
const files = listSources("src");
const imports = files.filter((file) => !/\.(test|test-d)\.ts$/.test(file)).flatMap(readImports);

describe("the sources", () => {
  test("are read, and the table of layers is", () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(layers.size).toBeGreaterThan(10);
  });

  test.each([
    ["stand in rooms that the table of layers names", () => explainUnknownRooms(files, layers)],
    ["import no room that the table of layers does not allow", () => explainForbidden(imports, layers)],
    ["reach other packages by name, never by path", () => explainCrossings(imports)],
    [
      "load the TypeScript compiler only in src/generators/loader and for the book",
      () => explainCompilerUsers(imports),
    ],
    ["import no file that has test in its name", () => explainImportedTests(imports)],
  ])("%s", (_, explain) => {
    expect(explain().join("\n")).toBe("");
  });
});

describe("explaining a forbidden import", () => {
  const planted = readLayers(
    [
      "| room | may import |",
      "| ---- | --- |",
      "| cli  | ship, shared |",
      "| ship | shared |",
      "| shared | |",
      "",
    ].join("\n"),
  );
  const entry = (file: string, target: string) => ({
    file,
    specifier: `../${target.slice(4)}`,
    target,
    isEager: true,
  });
  const named = (file: string, specifier: string) => ({
    file,
    specifier,
    target: undefined,
    isEager: true,
  });

  test("names both files, the allowed rooms, and where a shared part belongs", () => {
    expect(explainForbidden([entry("src/ship/x.ts", "src/cli/y.ts")], planted)).toEqual([
      "src/ship/x.ts imports src/cli/y.ts, but ship may import only shared: see the table in src/README.md. " +
        "Move what both need down to shared, or let a room above give it to ship as an argument",
    ]);
    expect(explainForbidden([entry("src/shared/x.ts", "src/ship/y.ts")], planted)[0]).toMatch(
      /but shared may import no other room: .* Move what both need down, or/,
    );
    expect(explainForbidden([named("src/ship/x.ts", "@tsbuilder/cluster")], planted)[0]).toMatch(
      /^src\/ship\/x\.ts imports @tsbuilder\/cluster, but ship may import only shared/,
    );
  });

  test("returns nothing for an allowed import", () => {
    const fine = [
      entry("src/cli/x.ts", "src/ship/y.ts"),
      entry("src/ship/x.ts", "src/ship/y.ts"),
      named("src/ship/x.ts", "node:fs"),
    ];
    expect([...explainForbidden(fine, planted), ...explainCrossings(fine)]).toEqual([]);
  });

  test("asks for a row of a new room", () => {
    expect(explainUnknownRooms(["src/ship/x.ts", "src/new/y.ts"], planted)).toEqual([
      "src/new has no row in the table in src/README.md: add one that says which rooms it may import",
    ]);
  });

  test("names the package that was imported by path, and none where there is none", () => {
    expect(explainCrossings([entry("src/cli/x.ts", "src/cluster/y.ts")])[0]).toContain(
      'Import it from "@tsbuilder/cluster" or one of the paths in "exports" of src/cluster/package.json',
    );
    expect(explainCrossings([entry("src/runtime/x.ts", "src/shared/y.ts")])[0]).toContain(
      "A published package has no src/shared: move what it needs into src/runtime",
    );
  });

  test("reports imports of the compiler and of tests", () => {
    expect(explainCompilerUsers([named("src/ship/x.ts", "typescript")])[0]).toMatch(
      /^src\/ship\/x\.ts imports typescript, but only src\/generators\/loader may/,
    );
    expect(explainCompilerUsers([named("src/generators/loader/x.ts", "typescript")])).toEqual([]);
    expect(explainImportedTests([entry("src/ship/x.ts", "src/ship/y.test.ts")])).toEqual([
      "src/ship/x.ts imports src/ship/y.test.ts, a test. Move what both need into a file of its own",
    ]);
  });
});
