import { types } from "../types/type.ts";
import { EvalError } from "../values/eval-error.ts";
import { type CelDuration, type CelTimestamp, zoneMinutes } from "../values/time.ts";
import type { Value } from "../values/value.ts";
import { declare, type FunctionDecl, method } from "./function.ts";

const { duration, int, string, timestamp } = types;

/** Returns a part of a date whose UTC fields are in the time zone. */
type Reading = (date: Date) => number;

/** Returns a date whose UTC fields are the local time in a time zone, given by name or offset. */
function inZone(time: CelTimestamp, zone: string): Date {
  const offset = zoneMinutes(zone);
  if (offset !== undefined && zone !== "Z" && zone !== "z")
    return new Date(time.milliseconds + offset * 60_000);
  if (zone === "UTC" || zone === "") return new Date(time.milliseconds);
  return new Date(time.milliseconds + namedOffset(time.milliseconds, zone));
}

function namedOffset(milliseconds: number, zone: string): number {
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = formatterOf(zone).formatToParts(milliseconds);
  } catch {
    throw new EvalError(`unknown time zone ${zone}`);
  }
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const wall = Date.UTC(
    read("year"),
    read("month") - 1,
    read("day"),
    read("hour") % 24,
    read("minute"),
    read("second"),
  );
  return wall - Math.floor(milliseconds / 1000) * 1000;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    const numeric = "numeric" as const;
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}

function reading(
  name: string,
  id: string,
  read: Reading,
  ofDuration?: (nanos: bigint) => bigint,
): FunctionDecl {
  const overloads = [
    method(`timestamp_to_${id}`, [timestamp], int, (time: CelTimestamp) => read(inZone(time, "UTC"))),
    method(`timestamp_to_${id}_with_tz`, [timestamp, string], int, (time: CelTimestamp, zone: string) =>
      read(inZone(time, zone)),
    ),
  ];
  if (ofDuration) {
    const apply = (span: CelDuration): Value => Number(ofDuration(span.nanos));
    overloads.push(method(`duration_to_${id}`, [duration], int, apply));
  }
  return declare(name, ...overloads);
}

/** The methods of timestamps and durations. Months and days of the year start at zero. */
export const times = [
  reading("getFullYear", "year", (date) => date.getUTCFullYear()),
  reading("getMonth", "month", (date) => date.getUTCMonth()),
  reading("getDayOfYear", "day_of_year", dayOfYear),
  reading("getDayOfMonth", "day_of_month", (date) => date.getUTCDate() - 1),
  reading("getDate", "day_of_month_1_based", (date) => date.getUTCDate()),
  reading("getDayOfWeek", "day_of_week", (date) => date.getUTCDay()),
  reading(
    "getHours",
    "hours",
    (date) => date.getUTCHours(),
    (nanos) => nanos / 3_600_000_000_000n,
  ),
  reading(
    "getMinutes",
    "minutes",
    (date) => date.getUTCMinutes(),
    (nanos) => nanos / 60_000_000_000n,
  ),
  reading(
    "getSeconds",
    "seconds",
    (date) => date.getUTCSeconds(),
    (nanos) => nanos / 1_000_000_000n,
  ),
  reading(
    "getMilliseconds",
    "milliseconds",
    (date) => date.getUTCMilliseconds(),
    (nanos) => (nanos / 1_000_000n) % 1000n,
  ),
];
