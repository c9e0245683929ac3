import { expect, test } from "vitest";
import { plainView } from "./session-view.ts";

test("plainView() prints the operator's JSON log for people, with the project's frames below an error", () => {
  const printed: string[] = [];
  const view = plainView((text) => printed.push(text), "/p", String);
  const fields = { level: "error", ts: "2026-01-01T10:20:30.456Z", msg: "Failed", error: "no list" };
  const stacktrace =
    "TypeError: no list\n    at nested (/p/src/a.ts:1:2)\n    at x (/p/node_modules/b.js:1:2)";
  for (const line of ["plain", JSON.stringify({ ...fields, stacktrace })])
    view.report({ type: "operator", line });
  expect(printed).toEqual([
    "operator | plain",
    "operator | 10:20:30 error Failed at src/a.ts:1:2 error=no list",
    "operator | TypeError: no list",
    "operator |     at nested (src/a.ts:1:2)",
    "operator |     … 1 of packages and Node",
  ]);
});
