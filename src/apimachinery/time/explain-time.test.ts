import { expect, test } from "vitest";
import { explainTime } from "./explain-time.ts";

const layout = '"2006-01-02T15:04:05Z07:00"';

test.each([
  ["x", `parsing time "x" as ${layout}: cannot parse "x" as "2006"`],
  ["", `parsing time "" as ${layout}: cannot parse "" as "2006"`],
  ["2026", `parsing time "2026" as ${layout}: cannot parse "" as "-"`],
  [
    "2026-1-01T00:00:00Z",
    `parsing time "2026-1-01T00:00:00Z" as ${layout}: cannot parse "1-01T00:00:00Z" as "01"`,
  ],
  ["2026-01-01", `parsing time "2026-01-01" as ${layout}: cannot parse "" as "T"`],
  ["2026-13-01T00:00:00Z", 'parsing time "2026-13-01T00:00:00Z": month out of range'],
  ["2026-02-30T00:00:00Z", 'parsing time "2026-02-30T00:00:00Z": day out of range'],
  ["2026-01-01T00:00:00", `parsing time "2026-01-01T00:00:00" as ${layout}: cannot parse "" as "Z07:00"`],
  ["2026-01-01T00:00:00Zx", 'parsing time "2026-01-01T00:00:00Zx": extra text: "x"'],
])("explainTime(%j) says why Go can't parse it", (text, why) => {
  expect(explainTime(text, "seconds")).toBe(why);
});

test("explainTime() accepts what Go parses", () => {
  expect(explainTime("2026-01-01T00:00:00.123456789+02:00", "seconds")).toBeUndefined();
  expect(explainTime("2024-02-29T23:59:59Z", "seconds")).toBeUndefined();
  expect(explainTime("2026-01-01T00:00:00.000000Z", "micros")).toBeUndefined();
});

test("a time with micros needs six digits", () => {
  const text = "2026-01-01T00:00:00Z";
  expect(explainTime(text, "micros")).toBe(
    `parsing time "${text}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`,
  );
});
