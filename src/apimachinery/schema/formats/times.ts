import { parseGoDuration } from "./go-duration.ts";

/** A day of the calendar, `2024-02-29`. */
export function isDate(value: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** A time with a zone. The hour, minute and second have their limits, the zone has none. */
export function isDateTime(value: string): boolean {
  const parts = value.toLowerCase().split("t");
  if (value.length < 4 || parts.length < 2 || !isDate(parts[0]!)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(parts[1]!);
  return match !== null && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59";
}

/** A span as Go or Scala write it: `1h30m`, `2 days`, `3 wk`. */
export function isDuration(value: string): boolean {
  if (parseGoDuration(value) !== undefined) return true;
  const matches = [...value.matchAll(/\d+[\t\n\f\r ]*([A-Za-zµ]+)/g)];
  return matches.some(([, unit]) => isUnit(unit!.toLowerCase()));
}

const exactUnits: ReadonlySet<string> = new Set([
  "ns",
  "us",
  "µs",
  "ms",
  "s",
  "m",
  "h",
  "hr",
  "d",
  "w",
  "wk",
]);
const unitPrefixes = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

function isUnit(unit: string): boolean {
  return exactUnits.has(unit) || unitPrefixes.some((prefix) => unit.startsWith(prefix));
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
