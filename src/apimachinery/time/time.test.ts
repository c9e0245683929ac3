import { expect, test } from "vitest";
import { formatMicroTime, formatTime, parseTime } from "./time.ts";

const noon = Date.UTC(2024, 4, 1, 12);

test("formatTime() cuts fractions off", () => {
  expect(formatTime(noon + 999)).toBe("2024-05-01T12:00:00Z");
  expect(formatTime(new Date(noon))).toBe("2024-05-01T12:00:00Z");
});

test("formatTime() writes the second that it is given, whatever it wrote before", () => {
  const seconds = [noon, noon + 1000, noon, -1, 0, -1000].map((time) => formatTime(time));
  expect(seconds.map((text) => Date.parse(text))).toEqual([noon, noon + 1000, noon, -1000, 0, -1000]);
  expect(() => formatTime(Number.NaN)).toThrow(RangeError);
});

test.each([
  [noon, "2024-05-01T12:00:00.000000Z"],
  [noon + 7, "2024-05-01T12:00:00.007000Z"],
  [noon + 7.25, "2024-05-01T12:00:00.007250Z"],
  [noon + 0.9999, "2024-05-01T12:00:00.001000Z"],
])("formatMicroTime(%d) has six digits", (time, text) => {
  expect(formatMicroTime(time)).toBe(text);
});

test.each([
  ["2024-05-01T12:00:00Z", noon],
  ["2024-05-01T12:00:00.123456Z", noon + 123.456],
  ["2024-05-01T14:30:00+02:30", noon],
  ["2024-05-01T07:00:00-05:00", noon],
])("parseTime(%s) reads it", (text, time) => {
  expect(parseTime(text)).toBeCloseTo(time, 3);
});

test.each(["", "2024-05-01", "2024-05-01 12:00:00Z", "2024-05-01T12:00:00", "2024-02-30T12:00:00Z", "noon"])(
  "parseTime() refuses %j",
  (text) => {
    expect(() => parseTime(text)).toThrow(JSON.stringify(text));
  },
);

test("parseTime() reads what formatMicroTime() writes", () => {
  expect(formatMicroTime(parseTime("2024-05-01T12:00:00.123457Z"))).toBe("2024-05-01T12:00:00.123457Z");
});
