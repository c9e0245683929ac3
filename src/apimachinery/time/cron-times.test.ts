import { expect, test } from "vitest";
import { cronTimes } from "./cron-schedule.ts";

const at = (text: string): number => Date.parse(text);

test.for([
  ["*/15 * * * *", "2030-01-01T00:01:00Z", "2030-01-01T00:15:00Z", "2030-01-01T00:30:00Z"],
  ["0 3 * * *", "2030-01-01T03:00:00Z", "2030-01-02T03:00:00Z", "2030-01-03T03:00:00Z"],
  ["30 22 31 * *", "2030-01-31T22:30:00Z", "2030-03-31T22:30:00Z", "2030-05-31T22:30:00Z"],
  ["0 0 29 2 *", "2097-01-01T00:00:00Z", "2104-02-29T00:00:00Z", "2108-02-29T00:00:00Z"],
  ["0 9-17/4 * * mon-fri", "2030-01-04T17:00:00Z", "2030-01-07T09:00:00Z", "2030-01-07T13:00:00Z"],
  ["0 0 13 * FRI", "2030-09-07T00:00:00Z", "2030-09-13T00:00:00Z", "2030-09-20T00:00:00Z"],
  ["5/20 1,23 ? JAN *", "2030-01-31T23:45:00Z", "2031-01-01T01:05:00Z", "2031-01-01T01:25:00Z"],
  ["@weekly", "2030-01-01T00:00:00Z", "2030-01-06T00:00:00Z", "2030-01-13T00:00:00Z"],
] as const)("cronTimes(%s) after %s is %s, then %s", ([schedule, after, first, second]) => {
  const next = cronTimes(schedule);
  expect(new Date(next(at(after))).toISOString()).toBe(new Date(at(first)).toISOString());
  expect(new Date(next(at(first))).toISOString()).toBe(new Date(at(second)).toISOString());
});

test.for([
  ["every day", "expected exactly 5 fields, found 2"],
  ["61 * * * *", "end of range (61) above maximum (59)"],
  ["* * * * * *", "found 6"],
  ["@fortnightly", "unrecognized descriptor"],
  ["TZ=Europe/Berlin 0 0 * * *", "time zones and @every are not supported"],
  ["@every 1h", "time zones and @every are not supported"],
  ["0 0 30 2 *", "is never due"],
  [", * * * *", "is never due"],
] as const)("cronTimes() refuses %s: %s", ([schedule, reason]) => {
  expect(() => cronTimes(schedule)).toThrow(TypeError);
  expect(() => cronTimes(schedule)).toThrow(reason);
});
