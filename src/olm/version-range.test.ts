import { parseSemver } from "@tsbuilder/apimachinery/semver";
import { expect, test } from "vitest";
import { parseRange } from "./version-range.ts";

test.each([
  [">=1.0.0 <1.2.0", ["1.0.0", "1.1.9"], ["0.9.9", "1.2.0"]],
  ["> 1.0.0 <= 1.2.0", ["1.0.1", "1.2.0"], ["1.0.0", "1.2.1"]],
  ["<1.0.0 || =2.0.0 || ==3.0.0", ["0.1.0", "2.0.0", "3.0.0"], ["1.0.0", "2.0.1"]],
  ["1.2.x", ["1.2.0", "1.2.9"], ["1.1.9", "1.3.0"]],
  [">1.2.x !1.3.1 !=1.3.2", ["1.3.0", "2.0.0"], ["1.2.5", "1.3.1", "1.3.2"]],
  ["1.x", ["1.0.0", "1.9.9"], ["0.9.9", "2.0.0"]],
  ["<=1.x", ["0.1.0", "1.9.9"], ["2.0.0"]],
  // As the package does that OLM uses, which looks at how many parts there are.
  ["1.x.x", ["1.0.0", "1.0.9"], ["1.1.0"]],
  ["1.0.0", ["1.0.0"], ["1.0.1"]],
  [" >=\t1.0.0  <2.0.0 ", ["1.0.0"], ["2.0.0"]],
])("the range %j", (text, inside, outside) => {
  const isInRange = parseRange(text)!;
  expect(inside.filter((version) => !isInRange(parseSemver(version)!))).toEqual([]);
  expect(outside.filter((version) => isInRange(parseSemver(version)!))).toEqual([]);
});

test.each([
  "",
  ">=",
  ">=1.0",
  "^1.0.0",
  "~1.0.0",
  ">=1.0.0 &&",
  ">=1.0.0 ||",
  "1.0.0 - 2.0.0",
  "latest",
  "1.2.*",
  "1.2.X",
  "1.2.3.x",
  "1.2.x.x",
  ">=1.0.0-next",
  "1.0.0 ||\t2.0.0",
  ">=1.0.0\t<2.0.0",
  ">=1.0.0\n",
  " ",
  "x",
])("%j is no range", (text) => {
  expect(parseRange(text)).toBeUndefined();
});
