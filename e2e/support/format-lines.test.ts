import { expect, test } from "vitest";
import { formatLines } from "./format-lines.ts";

test("formatLines() writes a line for each value at a depth", () => {
  const recorded = { first: [{ code: 200, body: { a: [1] } }, { code: 404 }], none: [], absent: undefined };
  expect(formatLines(recorded, 2)).toBe(
    '{\n "first": [\n  {"code":200,"body":{"a":[1]}},\n  {"code":404}\n ],\n "none": []\n}\n',
  );
  expect(JSON.parse(formatLines(recorded, 2))).toEqual(JSON.parse(JSON.stringify(recorded)));
});
