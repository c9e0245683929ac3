import { isObject } from "@tsbuilder/apimachinery/json";
import { csvAnnotations } from "../bundle-format.ts";
import { readExamples } from "../validate/check-examples.ts";
import type { Bundle } from "../validate/bundle.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { builtInChecks, type CheckedBundle, type ExampleProblem } from "./checks.ts";
import { resultOf, type ScorecardTest, type TestResult, type TestWithResults } from "./test-list.ts";

/** Whether a test needs no image, as all of operator-sdk's own. */
function isBuiltIn({ entrypoint: [program, name = ""] }: ScorecardTest): boolean {
  return program === "scorecard-test" && Object.hasOwn(builtInChecks, name);
}

/** Whether a test looks at objects, which have a status if the operator runs. */
export function looksAtObjects(test: ScorecardTest): boolean {
  return isBuiltIn(test) && test.entrypoint[1] !== "olm-bundle-validation";
}

export async function runTest(test: ScorecardTest, checked: CheckedBundle): Promise<TestWithResults> {
  return { ...test, results: [await resultFor(test, checked)] };
}

async function resultFor(test: ScorecardTest, checked: CheckedBundle): Promise<TestResult> {
  const [program = "", name = ""] = test.entrypoint;
  if (isBuiltIn(test)) {
    const result = await builtInChecks[name]!(name, checked);
    return looksAtObjects(test) ? withProblems(result, checked.problems) : result;
  }
  return {
    ...resultOf(test.labels["test"] ?? program, [`the test is a program in the image ${test.image}`]),
    state: "error",
    suggestions: [
      "tsbuilder runs no images: write it as test/scorecard/NAME.test.ts, or omit it with --selector",
    ],
  };
}

/** A test that could not look at all examples has not passed. */
function withProblems(result: TestResult, problems: readonly ExampleProblem[]): TestResult {
  if (problems.length === 0) return result;
  return {
    ...result,
    state: "error",
    errors: [...problems.map(({ message }) => message), ...result.errors],
    suggestions: [...new Set([...problems.map(({ hint }) => hint), ...result.suggestions])],
  };
}

const hint = "correct the sample in config/samples, and run tsbuilder bundle";

/** The examples of a bundle, and what keeps others from being objects. */
export function examplesOf({ csv }: Bundle): {
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly ExampleProblem[];
} {
  const examples = readExamples(csv);
  if (!examples) {
    return {
      objects: [],
      problems: [{ message: `${csvAnnotations.examples} is not a JSON list of objects`, hint }],
    };
  }
  const problems = examples.flatMap((example, index) => {
    const missing = missingIn(example);
    return missing === undefined ? [] : [{ message: `the example ${index} has no ${missing}`, hint }];
  });
  const objects = examples.filter((example) => missingIn(example) === undefined);
  return { objects: objects as unknown as ManifestObject[], problems };
}

function missingIn({ apiVersion, kind, metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const name = isObject(metadata) ? metadata["name"] : undefined;
  const needed = { apiVersion, kind, "metadata.name": name };
  return Object.entries(needed).find(([, value]) => typeof value !== "string" || value === "")?.[0];
}
