import { readExamples } from "../validate/check-examples.ts";
import type { Bundle } from "../validate/bundle.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { builtInChecks, type CheckedBundle } from "./checks.ts";
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
  if (isBuiltIn(test)) return builtInChecks[name]!(name, checked);
  return {
    ...resultOf(test.labels["test"] ?? program, [`the test is a program in the image ${test.image}`]),
    state: "error",
    suggestions: [
      "tsbuilder runs no images: write it as test/scorecard/NAME.test.ts, or omit it with --selector",
    ],
  };
}

/** The examples of a bundle; none if they can't be read, which is a finding of olm-bundle-validation. */
export function examplesOf({ csv }: Bundle): ManifestObject[] {
  return (readExamples(csv) ?? []) as unknown as ManifestObject[];
}
