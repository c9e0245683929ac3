import { expect, test } from "vitest";
import { compareSemver, parseSemver } from "./semver.ts";

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
  const versions = sorted.toReversed().map((text) => ({ text, version: parseSemver(text)! }));
  versions.sort((a, b) => compareSemver(a.version, b.version));
  expect(versions.map(({ text }) => text)).toEqual(sorted);
  expect(compareSemver(parseSemver("1.0.0+a")!, parseSemver("1.0.0+b")!)).toBe(0);
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
  `${"9".repeat(21)}.0.0`,
])("%j is not a version", (text) => {
  expect(parseSemver(text)).toBeUndefined();
});
