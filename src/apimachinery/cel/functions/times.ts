import { EvalError } from "../values/eval-error.ts";
import { type CelTimestamp, zoneMinutes } from "../values/time.ts";
import { type FunctionDecl, method, typed } from "./function.ts";

const { duration, int, string, timestamp } = typed;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** The methods of timestamps and durations. Months and days of the year start at zero. */
export const times = [
  ...ofTimestamp("getFullYear", "year", (date) => date.getUTCFullYear()),
  ...ofTimestamp("getMonth", "month", (date) => date.getUTCMonth()),
  ...ofTimestamp("getDayOfYear", "day_of_year", dayOfYear),
  ...ofTimestamp("getDayOfMonth", "day_of_month", (date) => date.getUTCDate() - 1),
  ...ofTimestamp("getDate", "day_of_month_1_based", (date) => date.getUTCDate()),
  ...ofTimestamp("getDayOfWeek", "day_of_week", (date) => date.getUTCDay()),
  ...ofTimestamp("getHours", "hours", (date) => date.getUTCHours()),
  ofDuration("getHours", "hours", (nanos) => nanos / 3_600_000_000_000n),
  ...ofTimestamp("getMinutes", "minutes", (date) => date.getUTCMinutes()),
  ofDuration("getMinutes", "minutes", (nanos) => nanos / 60_000_000_000n),
  ...ofTimestamp("getSeconds", "seconds", (date) => date.getUTCSeconds()),
  ofDuration("getSeconds", "seconds", (nanos) => nanos / 1_000_000_000n),
  ...ofTimestamp("getMilliseconds", "milliseconds", (date) => date.getUTCMilliseconds()),
  ofDuration("getMilliseconds", "milliseconds", (nanos) => (nanos / 1_000_000n) % 1000n),
];

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}

function ofTimestamp(name: string, id: string, read: (date: Date) => number): FunctionDecl[] {
  const inUTC = (time: CelTimestamp): number => read(inZone(time, "UTC"));
  const inNamedZone = (time: CelTimestamp, zone: string): number => read(inZone(time, zone));
  return [
    method(name, `timestamp_to_${id}`, [timestamp], int, inUTC),
    method(name, `timestamp_to_${id}_with_tz`, [timestamp, string], int, inNamedZone),
  ];
}

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

function ofDuration(name: string, id: string, read: (nanos: bigint) => bigint): FunctionDecl {
  return method(name, `duration_to_${id}`, [duration], int, ({ nanos }) => Number(read(nanos)));
}
