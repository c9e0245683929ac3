import { EvalError } from "../values/eval-error.ts";
import { type CelTimestamp, zoneMinutes } from "../values/time.ts";
import { type FunctionDecl, method, typed } from "./function.ts";

const { duration, int, string, timestamp } = typed;

/** The methods of timestamps and durations. Months and days of the year start at zero. */
export const times = [
  ...timestampGetter("getFullYear", "year", (date) => date.getUTCFullYear()),
  ...timestampGetter("getMonth", "month", (date) => date.getUTCMonth()),
  ...timestampGetter("getDayOfYear", "day_of_year", dayOfYear),
  ...timestampGetter("getDayOfMonth", "day_of_month", (date) => date.getUTCDate() - 1),
  ...timestampGetter("getDate", "day_of_month_1_based", (date) => date.getUTCDate()),
  ...timestampGetter("getDayOfWeek", "day_of_week", (date) => date.getUTCDay()),
  ...timestampGetter("getHours", "hours", (date) => date.getUTCHours()),
  durationGetter("getHours", "hours", (nanos) => nanos / 3_600_000_000_000n),
  ...timestampGetter("getMinutes", "minutes", (date) => date.getUTCMinutes()),
  durationGetter("getMinutes", "minutes", (nanos) => nanos / 60_000_000_000n),
  ...timestampGetter("getSeconds", "seconds", (date) => date.getUTCSeconds()),
  durationGetter("getSeconds", "seconds", (nanos) => nanos / 1_000_000_000n),
  ...timestampGetter("getMilliseconds", "milliseconds", (date) => date.getUTCMilliseconds()),
  durationGetter("getMilliseconds", "milliseconds", (nanos) => nanos / 1_000_000n),
];

/** Declares a method of timestamps, without and with a time zone. */
function timestampGetter(name: string, id: string, read: (date: Date) => number): FunctionDecl[] {
  const inUTC = (time: CelTimestamp): number => read(inZone(time, "UTC"));
  const inNamedZone = (time: CelTimestamp, zone: string): number => read(inZone(time, zone));
  return [
    method(name, `timestamp_to_${id}`, [timestamp], int, inUTC),
    method(name, `timestamp_to_${id}_with_tz`, [timestamp, string], int, inNamedZone),
  ];
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}

/** Returns a date whose UTC fields are the local time in a time zone, given by name or offset. */
function inZone(time: CelTimestamp, zone: string): Date {
  const offset = zoneMinutes(zone);
  if (offset !== undefined && zone !== "Z" && zone !== "z")
    return new Date(time.milliseconds + offset * 60_000);
  if (zone === "UTC" || zone === "") return new Date(time.milliseconds);
  return new Date(time.milliseconds + namedOffset(time.milliseconds, zone));
}

/** Returns the offset of a named time zone from UTC at a time, in milliseconds. */
function namedOffset(milliseconds: number, zone: string): number {
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = formatterOf(zone).formatToParts(milliseconds);
  } catch {
    throw new EvalError(`unknown time zone ${zone}`);
  }
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const localTime = Date.UTC(
    read("year"),
    read("month") - 1,
    read("day"),
    // ICU writes midnight as 24 in some versions.
    read("hour") % 24,
    read("minute"),
    read("second"),
  );
  return localTime - Math.floor(milliseconds / 1000) * 1000;
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

function durationGetter(name: string, id: string, read: (nanos: bigint) => bigint): FunctionDecl {
  return method(name, `duration_to_${id}`, [duration], int, ({ nanos }) => Number(read(nanos)));
}
