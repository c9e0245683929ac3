import { expect, test } from "vitest";
import { withOutcomes } from "./test-list.ts";

const custom = { image: "", entrypoint: ["vitest", "test/scorecard/made.test.ts"], labels: { test: "made" } };

test("a file whose tests are skipped passes, and one without tests is an error", () => {
  const [skipped] = withOutcomes(custom, { outcomes: [], skipped: 2 }).results;
  const [empty] = withOutcomes(custom, { outcomes: [], skipped: 0 }).results;

  expect(skipped).toMatchObject({ state: "pass", suggestions: ["all of its tests are skipped: 2"] });
  expect(empty).toMatchObject({ state: "error", errors: ["test/scorecard/made.test.ts has no tests"] });
});
