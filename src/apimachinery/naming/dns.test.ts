import { expect, test } from "vitest";
import {
  checkLabel,
  checkLabel1035,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
  shortName,
} from "./dns.ts";

const letters = (count: number): string => "a".repeat(count);

test.each([
  [checkLabel, ["a", "a1", "1a", "a-b", letters(63)]],
  [checkLabel1035, ["a", "a1", "a--b", letters(63)]],
  [checkSubdomain, ["a", "a.b", "1.2", "a-b.c-d", letters(253)]],
  [
    checkQualifiedName,
    ["a", "A", "a_b.c-d", "example.com/Name", letters(63), `${letters(253)}/${letters(63)}`],
  ],
  [checkLabelValue, ["", "a", "A.b_c-d", letters(63)]],
])("%o accepts valid names", (check, names) => {
  for (const name of names) expect(check(name)).toEqual([]);
});

test.each([
  [checkLabel, ["", "A", "-a", "a-", "a_b", "é"]],
  [checkLabel1035, ["", "1a", "A", "a.b", "a-"]],
  [checkSubdomain, ["", "a..b", ".a", "a.", "A.b", "a_b"]],
  [checkQualifiedName, ["", "-a", "a/b/c", "/a", "a/", "Example.com/a"]],
  [checkLabelValue, ["-a", "a b", "a/b", "ä"]],
])("%o returns a reason for invalid names", (check, names) => {
  for (const name of names) expect(check(name).length).toBeGreaterThan(0);
});

test("the reasons are the API server's", () => {
  expect(checkLabel("Bad")).toEqual([
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]);
  expect(checkLabel("a.b")).toEqual(["must not contain dots"]);
  expect(checkSubdomain("Bad")).toEqual([
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ]);
  expect(checkLabel(letters(64))).toEqual(["must be no more than 63 characters"]);
  expect(checkLabelValue(letters(64))).toEqual(["must be no more than 63 bytes"]);
  expect(checkQualifiedName("/")).toEqual([
    "prefix part must be non-empty",
    "name part must be non-empty",
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ]);
});

test("shortName() keeps names that fit, and cuts others so that they stay valid and different", () => {
  expect(shortName(letters(63))).toBe(letters(63));
  const long = [`${letters(48)}.-b${letters(20)}`, `${letters(49)}.${letters(20)}`, letters(64), letters(65)];
  for (const max of [63, 52]) {
    const short = long.map((name) => shortName(name, max));
    expect(new Set(short).size).toBe(long.length);
    for (const name of short) {
      expect(name.length).toBeLessThanOrEqual(max);
      expect([...checkLabelValue(name), ...checkSubdomain(name)]).toEqual([]);
      expect(shortName(name, max)).toBe(name);
    }
  }
});
