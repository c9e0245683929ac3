import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, formatNanoseconds, parseDuration, parseNanoseconds } from "./duration.ts";

test.each([
  ["0", 0],
  ["30s", 30_000],
  ["1h30m", 5_400_000],
  ["250ms", 250],
  ["1.5s", 1_500],
  [".5s", 500],
  ["1.s", 1_000],
  ["-1m", -60_000],
  ["+2h", 7_200_000],
  ["1us", 0.001],
  ["1\u00b5s", 0.001],
  ["1\u03bcs", 0.001],
  ["1ns", 0.000_001],
  ["39h9m14.425s", 140_954_425],
])("parseDuration(%s) is %d ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each([
  [{ seconds: 90 }, 90_000],
  [{ hours: 1, minutes: 30, seconds: undefined, milliseconds: 0.5 }, 5_400_000.5],
  [{ minutes: 1, seconds: -60 }, 0],
])("parseDuration(%j) is %d ms", (units, milliseconds) => {
  expect(parseDuration(units)).toBe(milliseconds);
});

test.each<unknown>([
  { seconds: Number.NaN },
  { minutes: Infinity },
  { days: 1 },
  { toString: 1 },
  { seconds: "1" },
  { seconds: undefined },
  {},
  [],
  30,
  null,
])("parseDuration() refuses %j, which has no known unit, or no number of it", (units) => {
  expect(() => parseDuration(units as object)).toThrow(
    new TypeError(`time: invalid duration ${JSON.stringify(units)}`),
  );
});

test.each([
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["s", 'time: invalid duration "s"'],
  [".s", 'time: invalid duration ".s"'],
  ["30", 'time: missing unit in duration "30"'],
  ["1h30", 'time: missing unit in duration "1h30"'],
  ["1d", 'time: unknown unit "d" in duration "1d"'],
  ["1 s", 'time: unknown unit " s" in duration "1 s"'],
  ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
])("parseDuration() refuses %j", (text, message) => {
  expect(() => parseDuration(text)).toThrow(new TypeError(message));
});

test.each([
  [0, "0s"],
  [0.000_001, "1ns"],
  [0.0015, "1.5µs"],
  [250, "250ms"],
  [1_500, "1.5s"],
  [60_000, "1m0s"],
  [5_400_000, "1h30m0s"],
  [3_600_000, "1h0m0s"],
  [-90_500, "-1m30.5s"],
])("formatDuration(%d) is %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test("formatNanoseconds() and parseNanoseconds() are the two ways of each 64-bit span", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (span) => {
      expect(parseNanoseconds(formatNanoseconds(span))).toBe(span);
    }),
  );
});
