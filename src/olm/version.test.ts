import { expect, test } from "vitest";
import { compareSemver, parseVersion, versionOfName } from "./version.ts";
import { parseRange } from "./version-range.ts";

test("versions have the order of semantic versions", () => {
  const sorted = [
    "0.9.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.10",
    "1.10.0",
  ];
  const versions = sorted.toReversed().map((text) => ({ text, version: parseVersion(text)! }));
  versions.sort((a, b) => compareSemver(a.version, b.version));
  expect(versions.map(({ text }) => text)).toEqual(sorted);
  expect(compareSemver(parseVersion("1.0.0+a")!, parseVersion("1.0.0+b")!)).toBe(0);
});

test.each([
  "",
  "1",
  "1.0",
  "v1.0.0",
  "1.0.0.0",
  "01.0.0",
  "1.0.0-",
  "1.0.0-01",
  "1.0.0 ",
  "1e3.0.0",
  `${"9".repeat(20)}.0.0`,
])("%j is no version", (text) => {
  expect(parseVersion(text)).toBeUndefined();
});

test("the version in a name stands behind .v", () => {
  expect([versionOfName("shop.v1.0.0"), versionOfName("a.very.v2.0.0-rc.1"), versionOfName("shop")]).toEqual([
    "1.0.0",
    "2.0.0-rc.1",
    undefined,
  ]);
});

test.each([
  [">=1.0.0 <1.2.0", ["1.0.0", "1.1.9"], ["0.9.9", "1.2.0"]],
  ["> 1.0.0 <= 1.2.0", ["1.0.1", "1.2.0"], ["1.0.0", "1.2.1"]],
  ["<1.0.0 || =2.0.0 || ==3.0.0", ["0.1.0", "2.0.0", "3.0.0"], ["1.0.0", "2.0.1"]],
  ["1.2.x", ["1.2.0", "1.2.9"], ["1.1.9", "1.3.0"]],
  [">1.2.x !1.3.1 !=1.3.2", ["1.3.0", "2.0.0"], ["1.2.5", "1.3.1", "1.3.2"]],
  ["<=1.x.x", ["0.1.0", "1.9.9"], ["2.0.0"]],
  ["1.0.0", ["1.0.0"], ["1.0.1"]],
])("the range %j", (text, inside, outside) => {
  const range = parseRange(text)!;
  expect(inside.filter((version) => !range.has(parseVersion(version)!))).toEqual([]);
  expect(outside.filter((version) => range.has(parseVersion(version)!))).toEqual([]);
});

test.each(["", ">=", ">=1.0", "^1.0.0", "~1.0.0", ">=1.0.0 &&", ">=1.0.0 ||", "1.0.0 - 2.0.0", "latest"])(
  "%j is no range",
  (text) => {
    expect(parseRange(text)).toBeUndefined();
  },
);
