import { expect, test } from "vitest";
import { explainFlakes, failedTests } from "./failed-tests.ts";

const passed = { fullName: "adds", status: "passed", failureMessages: [] };
const failed = { fullName: "subtracts", status: "failed", failureMessages: ["1 is not 2"] };

test("failed tests and files that could not be loaded are read from a report", () => {
  const report = {
    testResults: [
      { name: "/here/src/sum.test.ts", message: "", assertionResults: [passed, failed] },
      { name: "/here/src/broken.test.ts", message: "SyntaxError", assertionResults: [] },
    ],
  };
  expect(failedTests(report, "/here")).toEqual([
    { id: "src/sum.test.ts > subtracts", output: "1 is not 2" },
    { id: "src/broken.test.ts", output: "SyntaxError" },
  ]);
});

test("each test that failed is counted, the most frequent first", () => {
  const rare = { id: "rare", output: "once" };
  const frequent = (output: string) => ({ id: "frequent", output });
  expect(explainFlakes([[rare, frequent("a")], [], [frequent("b")]])).toBe(
    "failed in 2 of 3 runs: frequent\na\n\nfailed in 1 of 3 runs: rare\nonce\n",
  );
  expect(explainFlakes([[], []])).toBe("");
});
