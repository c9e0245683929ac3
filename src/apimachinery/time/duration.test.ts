import { describe, expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

describe("parseDuration()", () => {
  test.each([
    ["30s", 30_000],
    ["1h30m", 5_400_000],
    ["250ms", 250],
    ["1.5s", 1500],
    [".5s", 500],
    ["-2m", -120_000],
    ["0", 0],
    ["5µs", 0.005],
  ])("parseDuration() reads %s", (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 9);
  });

  test.each(["", "30", "s", "1d", "1 s", "--1s", "1..5s"])("parseDuration() refuses %j", (text) => {
    expect(() => parseDuration(text)).toThrow(/is no duration/);
  });
});

test.each([
  [0, "0s"],
  [250, "250ms"],
  [1500, "1.5s"],
  [5_400_000, "1h30m0s"],
  [60_000, "1m0s"],
  [-2000, "-2s"],
  [0.005, "5µs"],
])("formatDuration() writes %d ms as Go does", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
