import { expect, it } from "vitest";
import { formatIndexes } from "./indexes.ts";

it.each([
  [[], ""],
  [[3], "3"],
  [[2, 1], "1,2"],
  [[0, 1, 2, 5, 7, 8], "0-2,5,7,8"],
])("formatIndexes() formats %j as %j", (indexes, text) => {
  expect(formatIndexes(indexes)).toBe(text);
});
