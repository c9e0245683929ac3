import { expect, test } from "vitest";
import { resultsPage } from "./results-page.ts";

const report = (file: string, status: string) => ({
  startTime: Date.UTC(2026, 0, 2, 3, 4),
  testResults: [
    { name: `/root/e2e/${file}`, assertionResults: [{ title: "a test", status, duration: 1600 }] },
  ],
});
const on = (controlPlane: string) => ({ root: "/root", controlPlane });

test("a run replaces the rows of its files on its control plane, and keeps the others", () => {
  const first = resultsPage("", report("b.test.ts", "failed"), on("real"));
  const second = resultsPage(first, report("a.test.ts", "passed"), on("real"));
  const third = resultsPage(second, report("b.test.ts", "failed"), on("embedded"));
  const fourth = resultsPage(third, report("b.test.ts", "passed"), on("real"));
  expect(fourth.split("\n").filter((line) => line.startsWith("| e2e/"))).toEqual([
    "| e2e/a.test.ts | real | a test | passed | 2 | 2026-01-02T03:04 |",
    "| e2e/b.test.ts | embedded | a test | failed | 2 | 2026-01-02T03:04 |",
    "| e2e/b.test.ts | real | a test | passed | 2 | 2026-01-02T03:04 |",
  ]);
});

test("a run on a machine where nothing could run replaces nothing", () => {
  const before = resultsPage("", report("a.test.ts", "passed"), on("real"));
  expect(resultsPage(before, report("a.test.ts", "skipped"), on("real"))).toBe(before);
});

test("a row names what its test is part of", () => {
  const { startTime, testResults } = report("a.test.ts", "passed");
  const [{ name, assertionResults }] = testResults as [(typeof testResults)[0]];
  const inside = assertionResults.map((each) => ({
    ...each,
    ancestorTitles: ["beside another control plane"],
  }));
  const page = resultsPage("", { startTime, testResults: [{ name, assertionResults: inside }] }, on("real"));
  expect(page).toContain("| e2e/a.test.ts | real | beside another control plane: a test | passed |");
});
