import { basename } from "node:path";
import type { Tree } from "../../scaffold/tree.ts";
import { resultOf, type ScorecardTest, type TestWithResults } from "./test-list.ts";

const folder = "test/scorecard";

/** The project's own tests: each file in the folder is one, and needs no registration. */
export function findCustomTests(tree: Tree): ScorecardTest[] {
  return tree
    .list(folder)
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => ({
      image: "",
      entrypoint: ["vitest", path],
      labels: { suite: "custom", test: basename(path, ".test.ts") },
    }));
}

/** The file of a test of the project. */
export function fileOf({ image, entrypoint: [program, path] }: ScorecardTest): string | undefined {
  return image === "" && program === "vitest" ? path : undefined;
}

interface Outcome {
  readonly name: string;
  readonly messages: readonly string[];
}

/** Each test in a file is a result. */
export function withOutcomes(
  test: ScorecardTest,
  { outcomes, skipped }: { readonly outcomes: readonly Outcome[]; readonly skipped: number },
): TestWithResults {
  const results = outcomes.map(({ name, messages }) => resultOf(name, messages));
  if (results.length > 0) return { ...test, results };
  if (skipped > 0) {
    return {
      ...test,
      results: [resultOf(test.labels["test"]!, [], [`all of its tests are skipped: ${skipped}`])],
    };
  }
  const empty = resultOf(test.labels["test"]!, [`${fileOf(test)} has no tests`]);
  return { ...test, results: [{ ...empty, state: "error" }] };
}
