import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countLevelsAfter, dropOlder, interpolate, holdLevel, type Level, steadyGrowth } from "./process.ts";

const levels = (...values: number[]) => values.map((value, index) => ({ at: index * 10, value }));

test("what grows in each quarter has grown, also with peaks and gaps", () => {
  expect(steadyGrowth(levels(0, 1, 2, 3, 4, 5, 6, 7, 8), 0, 80, holdLevel)).toBe(6);
  expect(steadyGrowth(levels(0, 9, 2, 9, 4, 9, 6, 9, 8), 0, 80, holdLevel)).toBe(6);
});

test.each([
  ["it came to an end", [0, 5, 10, 15, 20, 20, 20, 20, 20]],
  ["it began late", [0, 0, 0, 0, 0, 5, 10, 15, 20]],
  ["it went down in between", [0, 5, 10, 15, 0, 5, 10, 15, 20]],
  ["it shrinks", [8, 7, 6, 5, 4, 3, 2, 1, 0]],
  ["it stays", [5, 5, 5, 5, 5, 5, 5, 5, 5]],
])("%s: that is no steady growth", (_, values) => {
  expect(steadyGrowth(levels(...values), 0, 80, holdLevel)).toBeUndefined();
});

test("few levels that rise are steps if they hold, and growth if they move evenly", () => {
  const rare = [
    { at: -5, value: 0 },
    { at: 45, value: 50 },
    { at: 80, value: 85 },
  ];
  expect(steadyGrowth(rare, 0, 80, holdLevel)).toBeUndefined();
  expect(steadyGrowth(rare, 0, 80, interpolate)).toBe(60);
  expect(steadyGrowth(rare, -10, 80, interpolate)).toBeUndefined();
});

test("what is not known from the beginning on is not judged", () => {
  expect(steadyGrowth(levels(0, 1, 2, 3, 4), -10, 40, holdLevel)).toBeUndefined();
  expect(steadyGrowth([], 0, 40, holdLevel)).toBeUndefined();
});

test("however it moves, what comes back to where it was has not grown", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 }), (values) => {
      const low = Math.min(...values);
      const round = levels(low, ...values, low);
      expect(steadyGrowth(round, 0, (round.length - 1) * 10, holdLevel)).toBeUndefined();
    }),
  );
});

test.each([
  ["held", holdLevel],
  ["even", interpolate],
])("of many levels (%s), few outside of the stretch are looked at", (_, between) => {
  let looks = 0;
  const many = Array.from({ length: 100_000 }, (_, index): Level => ({
    get at() {
      looks++;
      return index * 10;
    },
    value: index,
  }));
  expect(steadyGrowth(many, 999_910, 999_990, between)).toBeGreaterThan(0);
  expect(looks).toBeLessThan(1000);
});

test("of the levels before a stretch, the last one is kept: it holds when the stretch begins", () => {
  const kept = levels(0, 1, 2, 3, 4, 5, 6, 7, 8);
  dropOlder(kept, 84, 35);
  expect(kept).toHaveLength(9);
  dropOlder(kept, 85, 35);
  expect(kept.map(({ at }) => at)).toEqual([50, 60, 70, 80]);
  expect(countLevelsAfter(kept, 60)).toBe(2);
});
