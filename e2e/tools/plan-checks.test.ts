import { expect, test } from "vitest";
import { allChecks, planChecks } from "./plan-checks.ts";

const plan = (present: string[], deleted: string[] = [], tests: string[] = []) =>
  Object.fromEntries(planChecks({ present, deleted }, tests).map(({ name, command }) => [name, command]));

test("planChecks() runs all checks for a source, lint and format on that source only", () => {
  const checks = plan(["src/a.ts"], [], ["src/a.test.ts"]);
  expect(Object.keys(checks)).toEqual(allChecks.map(({ name }) => name));
  expect(checks["lint"]?.at(-1)).toBe("src/a.ts");
  expect(checks["format"]?.at(-1)).toBe("src/a.ts");
  expect(checks["tests"]?.at(-1)).toBe("src/a.test.ts");
});

test("planChecks() runs no check without a change, and few for a document", () => {
  expect(plan([])).toEqual({});
  expect(Object.keys(plan(["README.md"], [], ["e2e/rules/docs.test.ts"]))).toEqual(["tests", "format"]);
});

test("planChecks() checks what a deleted file may break or leave unused", () => {
  expect(Object.keys(plan([], ["src/a.ts"]))).toEqual(["unused code", "types"]);
});

test("planChecks() checks every file after a change of the rules", () => {
  expect(plan([".oxlintrc.json"])["lint"]?.at(-1)).toBe(".");
  expect(plan([".oxfmtrc.json"])["format"]?.at(-1)).toBe(".");
});
