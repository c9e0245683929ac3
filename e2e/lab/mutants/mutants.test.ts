import { dirname } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listSources, repository } from "../../support/source-imports.ts";
import { chooseMutants } from "./choose-mutants.ts";
import { applyMutant, findMutants } from "./find-mutants.ts";
import { ringsOfTests } from "./rings-of-tests.ts";
import { allMutants, chosenMutants, folder } from "./runtime-mutants.ts";
import { survivors } from "./survivors.ts";

test("each kind of change is made, but none in texts, types and conditions of loops", () => {
  const text = `
    type Flag = true;
    export async function f(a: number, b: boolean): Promise<number | undefined> {
      while (b) log.info("a && b");
      if (a < 1 && b) throw new Error(\`\${a < 1}\`);
      await g(true);
      log.warn(a === 1 ? "one" : "many");
      return a;
    }`;
  const changes = findMutants("f.ts", text).map(({ before, after }) => [before, after]);
  expect(changes).toEqual([
    ["a < 1 && b", "a < 1 || b"],
    ["a < 1 && b", "!(a < 1 && b)"],
    ["a < 1", "a <= 1"],
    ["await g(true);", ";"],
    ["await g(true)", "g(true)"],
    ["true", "false"],
    ['log.warn(a === 1 ? "one" : "many");', ";"],
    ["return a;", "return undefined as never;"],
  ]);
});

test("a mutant keeps its name when code is moved", () => {
  const code = "export const f = (a: number) => a < 1;";
  const [before, after] = [code, `// moved\n${code}`].map((text) => findMutants("f.ts", text)[0]!);
  expect(after).toEqual({ ...before, line: 2, start: before!.start + 9, end: before!.end + 9 });
});

test("150 mutants of all folders of the runtime parse, and each has a name of its own", () => {
  const mutants = chosenMutants();
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(150);
  for (const mutant of mutants) {
    const text = readFileSync(join(repository, mutant.file), "utf8");
    const { diagnostics } = ts.transpileModule(applyMutant(text, mutant), { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
  }
  const folders = new Set(mutants.map(({ file }) => dirname(file)));
  const withCode = listSources(folder)
    .filter((file) => !/\.test(-d)?\.ts$|\/k8s\/|\/(index|advanced)\.ts$/.test(file))
    .map((file) => dirname(file));
  expect([...folders]).toEqual(expect.arrayContaining([...new Set(withCode)]));
});

test("every explained survivor is a mutant", () => {
  const ids = allMutants().map(({ id }) => id);
  expect(Object.keys(survivors).filter((id) => !ids.includes(id))).toEqual([]);
});

test.each([1, 10, 44, 4000, 100_000])("chooses %i, or as many as there are", (count) => {
  const all = allMutants();
  expect(chooseMutants(all, count)).toHaveLength(Math.min(count, all.length));
});

test("the test that noticed a mutant before comes first, then the tests that import its file, and then those that import a file that does", () => {
  const imports = new Map([
    ["lib/a.ts", []],
    ["lib/b.ts", ["lib/a.ts"]],
    ["lib/a.test.ts", ["lib/a.ts"]],
    ["lib/b.test.ts", ["lib/b.ts"]],
    ["lib/c.test.ts", []],
    ["other/a.test.ts", ["lib/a.ts"]],
  ]);
  expect(ringsOfTests("lib/a.ts", imports, "lib/")).toEqual([
    ["lib/a.test.ts"],
    ["lib/b.test.ts"],
    ["lib/c.test.ts"],
  ]);
  expect(ringsOfTests("lib/d.ts", imports, "lib/")).toHaveLength(1);
  expect(ringsOfTests("lib/a.ts", imports, "lib/", "lib/c.test.ts")).toEqual([
    ["lib/c.test.ts"],
    ["lib/a.test.ts"],
    ["lib/b.test.ts"],
  ]);
});
