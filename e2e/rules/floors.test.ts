import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explainCycles, explainUnknownFloors, explainUpward, readFloors } from "./explain-floors.ts";
import { listSources, readImports, repository, type SourceImport } from "../support/source-imports.ts";

const packages = ["src/apimachinery", "src/runtime", "src/cluster", "src/simulation"].flatMap((folder) => {
  const floors = floorsOf(folder);
  if (!floors) return [];
  const files = listSources(folder).filter((file) => !/\.(test|test-d)\.ts$/.test(file));
  return [{ folder, floors, files, imports: files.flatMap(readImports) }];
});

function floorsOf(folder: string) {
  const readme = join(repository, folder, "README.md");
  return existsSync(readme) ? readFloors(readFileSync(readme, "utf8")) : undefined;
}

describe.each(packages)("$folder", ({ folder, floors, files, imports }) => {
  test("assigns a floor to each file, and has no empty floor", () => {
    expect(files.length).toBeGreaterThan(10);
    expect(explainUnknownFloors(folder, files, floors).join("\n")).toBe("");
  });

  test("imports downwards only", () => {
    expect(explainUpward(folder, imports, floors).join("\n")).toBe("");
  });

  test("has no cycle of files that load each other, and none across folders", () => {
    expect(explainCycles(imports).join("\n")).toBe("");
  });
});

test("the table of the cluster is read", () => {
  expect(packages.map(({ folder }) => folder)).toContain("src/cluster");
});

describe("explaining floors", () => {
  const planted = readFloors(
    [
      "Words before.",
      "",
      "| floor | what stands in it |",
      "| ----- | --- |",
      "| `index.ts` | the way in |",
      "| `left`, `right` | two that don't know each other |",
      "| `left/deep` | what left needs |",
      "| `ground` | the rest |",
      "",
      "Words after.",
    ].join("\n"),
  )!;
  const entry = (file: string, target: string, isEager = true): SourceImport => ({
    file: `src/x/${file}`,
    specifier: "./y.ts",
    target: `src/x/${target}`,
    isEager,
  });
  const upward = (file: string, target: string) => explainUpward("src/x", [entry(file, target)], planted);

  test("names both files and both floors, for imports up and across", () => {
    expect(upward("ground/a.ts", "left/b.ts")).toEqual([
      "src/x/ground/a.ts imports src/x/left/b.ts, but left stands above ground in the table of floors in " +
        "src/x/README.md. Move what both need below them, or let ground be given it as an argument",
    ]);
    expect(upward("left/deep/a.ts", "left/b.ts")[0]).toContain("left stands above left/deep");
    expect(upward("left/a.ts", "right/b.ts")[0]).toContain("right stands beside left");
    expect(upward("ground/a.ts", "index.ts")[0]).toContain("index.ts stands above ground");
  });

  test("returns nothing for imports down or within a floor", () => {
    expect([
      ...upward("index.ts", "left/a.ts"),
      ...upward("left/a.ts", "left/deep/b.ts"),
      ...upward("left/a.ts", "left/sub/b.ts"),
      ...upward("right/a.ts", "ground/b.ts"),
    ]).toEqual([]);
  });

  test("asks to add a row for a new folder, and to remove an old one", () => {
    const files = ["index.ts", "left/a.ts", "left/deep/a.ts", "new/a.ts", "right/a.ts"];
    expect(
      explainUnknownFloors(
        "src/x",
        files.map((file) => `src/x/${file}`),
        planted,
      ),
    ).toEqual([
      "src/x/new/a.ts stands on no floor of the table of floors in src/x/README.md: add a row, or move the file",
      "the table of floors in src/x/README.md names ground, where nothing stands: take the row out",
    ]);
  });

  test("returns nothing for a package without a table", () => {
    expect(readFloors("# A package\n\n| room | may import |\n|---|---|\n")).toBeUndefined();
  });

  test("names the files of a cycle, and lets types of one folder refer to each other", () => {
    const both = (isEager: boolean) => [entry("a/b.ts", "a/c.ts"), entry("a/c.ts", "a/b.ts", isEager)];
    expect(explainCycles(both(true))).toEqual([
      "src/x/a/b.ts, src/x/a/c.ts load each other in a circle, so that which one runs first depends on who asks. " +
        "Move what two of them need into a file of its own",
    ]);
    expect(explainCycles(both(false))).toEqual([]);
  });

  test("names the files of a cycle across folders, even if only of types", () => {
    const types = [entry("a/b.ts", "c/d.ts", false), entry("c/d.ts", "e/f.ts"), entry("e/f.ts", "a/b.ts")];
    expect(explainCycles(types)).toEqual([
      "src/x/a/b.ts, src/x/c/d.ts, src/x/e/f.ts import each other across folders, if only types. " +
        "Move the types that they share into a file below them",
    ]);
  });
});
