import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSources, readImports, repository, type SourceImport } from "./source-imports.ts";

/** Who may import whom: the table of `src/README.md`. A room may always import itself. */
const LAYERS = readLayers(readFileSync(join(repository, "src/README.md"), "utf8"));

const imports = listSources("src")
  .filter((file) => !/\.(test|test-d)\.ts$/.test(file))
  .flatMap(readImports);

test("the layer table names every module of src", () => {
  const modules = new Set(listSources("src").map((file) => moduleOf(file)));
  expect([...modules].filter((module) => !LAYERS.has(module))).toEqual([]);
  expect(imports.length).toBeGreaterThan(100);
});

test("no module imports one that the layer table does not allow", () => {
  const forbidden = imports.filter((entry) => {
    const target = targetModule(entry);
    const own = moduleOf(entry.file);
    return target !== undefined && target !== own && !LAYERS.get(own)?.includes(target);
  });
  expect(forbidden.map(describe)).toEqual([]);
});

test("packages reach each other by name, never by path", () => {
  const packages = ["apimachinery", "runtime", "cluster"];
  const crossing = imports.filter(({ file, target }) => {
    if (!target) return false;
    const [from, to] = [moduleOf(file), moduleOf(target)];
    return from !== to && (packages.includes(from) || packages.includes(to));
  });
  expect(crossing.map(describe)).toEqual([]);
});

test("only src/generators/loader loads the TypeScript compiler", () => {
  const users = imports.filter(({ specifier }) => specifier === "typescript").map(({ file }) => file);
  expect(users.filter((file) => !file.startsWith("src/generators/loader/"))).toEqual([]);
});

test("no source imports a file that has test in its name", () => {
  expect(imports.filter(({ specifier }) => /\.test\b/.test(specifier)).map(describe)).toEqual([]);
});

function moduleOf(file: string): string {
  return file.split("/")[1]!;
}

function targetModule({ specifier, target }: SourceImport): string | undefined {
  if (target) return target.startsWith("src/") ? moduleOf(target) : undefined;
  return /^@tsbuilder\/([a-z]+)/.exec(specifier)?.[1];
}

function describe({ file, specifier }: SourceImport): string {
  return `${file} imports "${specifier}"`;
}

function readLayers(readme: string): Map<string, string[]> {
  const table = readme.slice(readme.search(/^\| room +\| may import/m)).split("\n\n")[0]!;
  const rows = [...table.matchAll(/^\| ([a-z]+) +\|([^|]*)\|$/gm)].filter(([, room]) => room !== "room");
  return new Map(rows.map(([, room, allowed]) => [room!, allowed!.split(",").map((name) => name.trim())]));
}
