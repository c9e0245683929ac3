import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  addQuantities,
  canonicalizeQuantity,
  compareQuantities,
  isQuantity,
  parseQuantity,
  quantityToInteger,
  quantityToNumber,
  subtractQuantities,
} from "./index.ts";

/** Recorded from Kubernetes' Go package. */
test.each([
  ["0", "0"],
  ["00", "0"],
  ["0Gi", "0"],
  ["0e5", "0"],
  ["1", "1"],
  ["1024", "1024"],
  ["1000", "1k"],
  ["0.5", "500m"],
  ["100m", "100m"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["123.456", "123.456"],
  ["1.5", "1500m"],
  ["1.500", "1.500"],
  ["+5", "+5"],
  ["005", "005"],
  ["5.", "5."],
  [".5", "500m"],
  ["-", "0"],
  ["1Ki", "1Ki"],
  ["1000Ki", "1000Ki"],
  ["1024Ki", "1Mi"],
  ["0.5Ki", "512"],
  [".5Gi", "512Mi"],
  ["1.5Gi", "1536Mi"],
  ["-1Ki", "-1Ki"],
  ["1e3", "1e3"],
  ["1E6", "1E6"],
  ["12e-2", "120e-3"],
  ["1E", "1E"],
  ["1000E", "1"],
  ["0.0000000001", "1n"],
  ["-0.1n", "-1n"],
  ["1.23456789", "1234567890n"],
  ["8Ei", "9223372036854775807"],
  ["12345678901234567890Ki", "9223372036854775807"],
  ["12345678901234567890", "12345678901234567890"],
])("canonicalizeQuantity(%j) is %s", (text, canonical) => {
  expect(canonicalizeQuantity(text)).toBe(canonical);
});

const form = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

test.each([
  ["", form],
  [" 1", form],
  ["1.2.3", form],
  ["1e3.0", form],
  ["abc", form],
  ["1K", "unable to parse quantity's suffix"],
  ["1i", "unable to parse quantity's suffix"],
  ["1e", "unable to parse quantity's suffix"],
  ["--1", "unable to parse quantity's suffix"],
  ["Ei", "unable to parse numeric part of quantity"],
])("parseQuantity() rejects %j as the API server does", (text, message) => {
  expect(() => parseQuantity(text)).toThrow(new TypeError(message));
  expect(isQuantity(text)).toBe(false);
});

test("numbers are quantities, values of other types are not", () => {
  expect(canonicalizeQuantity(0.25)).toBe("250m");
  expect(canonicalizeQuantity(1e21)).toBe("1e+21");
  expect([1, "1Gi", null, true, {}].map(isQuantity)).toEqual([true, true, false, false, false]);
});

test.each([
  ["1", "1000m", 0],
  ["1Ki", "1k", 1],
  ["-1Gi", "1n", -1],
  ["-2", "-1", -1],
  ["0", "-0", 0],
  ["1e999999999", "9E", 1],
  ["-1e999999999", "1", -1],
  ["1e-999999999", "1n", 0],
])("compareQuantities(%s, %s) is %d", (a, b, order) => {
  expect(compareQuantities(a, b)).toBe(order);
});

test.each([
  ["100m", "1", "1100m", "-900m"],
  ["1Gi", "512Mi", "1536Mi", "512Mi"],
  ["1Gi", "1", "1073741825", "1073741823"],
  ["1", "1Ki", "1025", "-1023"],
  ["0", "1Ki", "1Ki", "-1Ki"],
  ["1e3", "1", "1001", "999"],
  ["1024", "1Ki", "2048", "0"],
  ["12345678901234567890", "1", "12345678901234567891", "12345678901234567889"],
])("%s and %s add up to %s and differ by %s", (a, b, sum, difference) => {
  expect(addQuantities(a, b)).toBe(sum);
  expect(subtractQuantities(a, b)).toBe(difference);
});

test.each([
  ["1500m", 1.5, 2n, 1500n],
  ["1Gi", 1073741824, 1073741824n, 1073741824000n],
  ["-1500m", -1.5, -2n, -1500n],
  ["1n", 1e-9, 1n, 1n],
])("%s is %d, rounded up to %d units and %d thousandths", (text, number, integer, milli) => {
  expect(quantityToNumber(text)).toBe(number);
  expect(quantityToInteger(text)).toBe(integer);
  expect(quantityToInteger(text, { unit: "m" })).toBe(milli);
});

test("a huge exponent takes no memory, and a sum with it drops the smaller quantity", () => {
  expect(canonicalizeQuantity("1e2000000000")).toBe("100e1999999998");
  expect(addQuantities("1e2000000000", "1")).toBe("100e1999999998");
  expect(addQuantities("1", "-1e20001")).toBe(canonicalizeQuantity("-1e20001"));
  expect(subtractQuantities("1", "1e20001")).toBe(canonicalizeQuantity("-1e20001"));
  expect(quantityToInteger("-1e2000000000")).toBe(-(10n ** 10_000n));
  const long = "1".repeat(20_002);
  expect(addQuantities(long, "1e20000") === `12${long.slice(2)}`).toBe(true);
});

test("a canonical quantity has the same value as the original", () => {
  const suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-6"];
  const quantities = fc
    .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.constantFrom(...suffixes))
    .map(([value, suffix]) => `${value}${suffix}`);
  fc.assert(
    fc.property(quantities, quantities, (a, b) => {
      expect(compareQuantities(canonicalizeQuantity(a), a)).toBe(0);
      expect(compareQuantities(subtractQuantities(addQuantities(a, b), b), a)).toBe(0);
    }),
  );
});
