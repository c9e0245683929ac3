import { expect, test } from "vitest";
import { History, restartsOf, sampleAt } from "./history.ts";
import { madeSample, timeOf } from "../../dev/record/testdata/made-records.ts";

const history = new History();
for (const [at, since] of [
  [1000, 0],
  [2000, 0],
  [3000, 2500],
] as const)
  history.add(madeSample(at, { since: timeOf(since) }));

test("the sample of a moment is the last one up to it", () => {
  expect(sampleAt(history.samples, 999)).toBeUndefined();
  expect(sampleAt(history.samples, 2999)?.at).toBe(2000);
  expect(sampleAt(history.samples, 9999)?.at).toBe(3000);
});

test("a process that is not the first one is a restart", () => {
  expect(restartsOf(history.samples)).toEqual([2500]);
});
