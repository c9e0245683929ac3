import { expect, test } from "vitest";
import {
  checkAddress,
  checkAddressRange,
  checkCanonicalAddress,
  checkCanonicalRange,
  isStrictSubset,
} from "./addresses.ts";

test("checkAddress() refuses what Go's parsers refuse", () => {
  for (const valid of ["10.0.0.1", "2001:DB8::1", "::", "1:2:3:4:5:6:7:8", "::1.2.3.4"]) {
    expect([valid, checkAddress(valid)]).toEqual([valid, []]);
  }
  for (const wrong of [
    "",
    "10.0.0",
    "10.0.0.256",
    "1::2::3",
    "fe80::1%eth0",
    "12345::",
    "1:2:3:4:5:6:7::8:9",
  ]) {
    expect([wrong, checkAddress(wrong).length]).toEqual([wrong, 1]);
  }
  expect(checkAddress("10.0.0.01")).toEqual(["must not have leading 0s"]);
  expect(checkAddress("::ffff:1.2.3.4")).toEqual(["must not be an IPv4-mapped IPv6 address"]);
});

test("checkAddressRange() refuses bits beyond the prefix", () => {
  for (const valid of ["10.0.0.0/8", "2001:db8::/32", "0.0.0.0/0"])
    expect(checkAddressRange(valid)).toEqual([]);
  expect(checkAddressRange("10.0.0.1/8")).toEqual(["must not have bits set beyond the prefix length"]);
  expect(checkAddressRange("10.0.0.0/08")).toEqual(["must not have leading 0s in IP or prefix length"]);
  expect(checkAddressRange("10.0.0.0/33")).toHaveLength(1);
});

test("canonical addresses shorten the first of the longest runs of zeros", () => {
  expect(checkCanonicalAddress("2001:DB8:0:0:1:0:0:1")).toEqual([
    'must be in canonical form ("2001:db8::1:0:0:1")',
  ]);
  expect(checkCanonicalAddress("0:0:0:0:0:0:0:0")).toEqual(['must be in canonical form ("::")']);
  expect(checkCanonicalAddress("1:0:2:3:4:5:6:7")).toEqual([]);
  expect(checkCanonicalRange("2001:0db8::/32")).toEqual(['must be in canonical form ("2001:db8::/32")']);
});

test("isStrictSubset() compares the bits of the prefix", () => {
  expect(isStrictSubset("10.1.0.0/16", "10.0.0.0/8")).toBe(true);
  expect(isStrictSubset("10.0.0.0/8", "10.0.0.0/8")).toBe(false);
  expect(isStrictSubset("11.1.0.0/16", "10.0.0.0/8")).toBe(false);
});
