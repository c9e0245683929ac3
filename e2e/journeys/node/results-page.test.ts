import { expect, test } from "vitest";
import { resultsPage } from "./results-page.ts";

const report = (file: string, status: string) => ({
  startTime: Date.UTC(2026, 0, 2, 3, 4),
  testResults: [
    { name: `/root/e2e/${file}`, assertionResults: [{ title: "a test", status, duration: 1600 }] },
  ],
});

test("a run replaces the rows of its files, and keeps the others", () => {
  const first = resultsPage("", report("b.test.ts", "failed"), "/root");
  const second = resultsPage(first, report("a.test.ts", "passed"), "/root");
  const third = resultsPage(second, report("b.test.ts", "passed"), "/root");
  expect(third.split("\n").filter((line) => line.startsWith("| e2e/"))).toEqual([
    "| e2e/a.test.ts | a test | passed | 2 | 2026-01-02T03:04 |",
    "| e2e/b.test.ts | a test | passed | 2 | 2026-01-02T03:04 |",
  ]);
});

test("a run on a machine where nothing could run replaces nothing", () => {
  const before = resultsPage("", report("a.test.ts", "passed"), "/root");
  expect(resultsPage(before, report("a.test.ts", "skipped"), "/root")).toBe(before);
});
