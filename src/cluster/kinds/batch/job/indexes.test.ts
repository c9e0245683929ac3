import * as fc from "fast-check";
import { expect, it, test } from "vitest";
import { firstCommonIndex, formatIndexes, parseIndexes } from "./indexes.ts";

it.each([
  [[], ""],
  [[3], "3"],
  [[2, 1], "1,2"],
  [[0, 1, 2, 5, 7, 8], "0-2,5,7,8"],
])("formatIndexes() formats %j as %j", (indexes, text) => {
  expect(formatIndexes(indexes)).toBe(text);
});

it.each([
  ["", "0-3", undefined],
  ["0-4000000000", "3999999999", 3_999_999_999],
  ["0-2,7", "3-6,8", undefined],
  ["x,5-9", "1,8-9", 8],
  ["9-5,4", "4", 4],
])("firstCommonIndex(%j, %j) is %j", (a, b, index) => {
  expect(firstCommonIndex(a, b, 5_000_000_000)).toBe(index);
});

test("formatted indexes are parsed to the same ones, and their intervals overlap where the sets do", () => {
  const sets = fc.uniqueArray(fc.nat(30));
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const [one, other] = [formatIndexes(a), formatIndexes(b)];
      expect(parseIndexes(one)).toEqual(new Set(a));
      const common = a.filter((index) => b.includes(index));
      const first = common.length === 0 ? undefined : Math.min(...common);
      expect(firstCommonIndex(one, other, 31)).toBe(first);
    }),
  );
});
