import { expect, test } from "vitest";
import { planTests } from "./plan-tests.ts";

/** The scripts that run before, the suites, and what else the test runner gets. */
function plan(line: string) {
  const steps = planTests(line.split(" ").filter(Boolean));
  const before = steps.slice(0, -1).map((step) => step.at(-1));
  const args = steps.at(-1)!.slice(5);
  const suites = args.filter((_, at) => args[at - 1] === "--project");
  return { before, suites, rest: args.slice(2 * suites.length) };
}

test("npm test builds, and runs unit tests and journeys", () => {
  expect(plan("")).toEqual({ before: ["build"], suites: ["unit", "journeys"], rest: [] });
  expect(plan("-t queue").rest).toEqual(["-t", "queue"]);
});

test.each([
  ["src/runtime/queue/work-queue.test.ts", [], ["unit"]],
  ["./src/cluster", [], ["unit"]],
  ["e2e/oracle/conformance -t patches", [], ["unit"]],
  ["e2e/journeys/fast/dev-screen.test.ts", ["build"], ["journeys"]],
  ["e2e/oracle/real/election.test.ts", [], ["real"]],
  ["e2e/oracle/real/node/node.test.ts", [], ["node"]],
  ["e2e/journeys/node/results-page.test.ts", [], ["unit"]],
  ["e2e/lab/", [], ["unit", "long-journeys", "node-versions"]],
  ["e2e/lab/snippets", [], ["long-journeys"]],
  ["e2e/journeys/strangers src/cli", ["build", "book"], ["strangers", "unit"]],
])("npm test -- %s chooses its suites", (line, before, suites) => {
  expect(plan(line)).toEqual({ before, suites, rest: line.split(" ") });
});
