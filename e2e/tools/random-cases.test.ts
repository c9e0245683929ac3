import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { listSources, repository } from "../support/source-imports.ts";
import { describeFailure, readRandomSettings } from "./random-cases.ts";

const numbers = fc.integer({ min: 0, max: 1000 });

test("the cases of a property are the same in every run, and others with another seed", () => {
  const { seed } = fc.readConfigureGlobal();
  expect(fc.sample(numbers, 5)).toEqual(fc.sample(numbers, { numRuns: 5, seed: seed! }));
  expect(fc.sample(numbers, 5)).not.toEqual(fc.sample(numbers, { numRuns: 5, seed: seed! + 1 }));
});

test("no test sets its own seed, which would hide cases from npm run lab -- explore", () => {
  const tests = [...listSources("src"), ...listSources("e2e")].filter((file) => file.endsWith(".test.ts"));
  const own = tests.filter((file) => {
    const text = readFileSync(join(repository, file), "utf8");
    return !file.startsWith("e2e/tools/") && /from "fast-check"/.test(text) && /\bseed:/.test(text);
  });
  const sentences = own.map(
    (file) => `${file} sets a seed: take it out, e2e/tools/random-cases.ts gives one`,
  );
  expect(sentences.join("\n")).toBe("");
});

test("readRandomSettings() has a default seed, and reads the one of npm run lab -- explore", () => {
  expect(readRandomSettings({})).toEqual({ seed: 1, numRuns: 100 });
  expect(readRandomSettings({ TSBUILDER_SEED: "-7", TSBUILDER_RUNS: "5", TSBUILDER_PATH: "3:1" })).toEqual({
    seed: -7,
    numRuns: 5,
    path: "3:1",
  });
});

test("describeFailure() names the smallest case, and the commands to run it again and to keep it", () => {
  const failure = fc.check(
    fc.property(numbers, (n) => n < 10),
    { seed: 3, numRuns: 100 },
  );
  const text = describeFailure(failure, { file: "src/a.test.ts", name: "a() > doesn't b" });
  expect(text).toContain("to [10]");
  expect(text).toContain(
    `npm run lab -- explore --only src/a.test.ts --test 'a() > doesn'\\''t b' --seed 3 --path '${failure.counterexamplePath}'`,
  );
  expect(text).toContain("{ examples: [[10]] }");
});

test("a failed property reports it with the name of its test", () => {
  expect(() => fc.assert(fc.property(numbers, (n) => n < 10))).toThrow(
    "--only e2e/tools/random-cases.test.ts --test 'a failed property reports it with the name of its test'",
  );
});
