import { parseNanoseconds } from "../../time/index.ts";

/** A date, `2024-02-29`. */
export function isDate(value: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** A time with a time zone. Hour, minute and second are range-checked, the zone is not. */
export function isDateTime(value: string): boolean {
  const parts = value.toLowerCase().split("t");
  if (value.length < 4 || parts.length < 2 || !isDate(parts[0]!)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(parts[1]!);
  return match !== null && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59";
}

/** A duration in Go's or Scala's notation: `1h30m`, `2 days`, `3 wk`. */
export function isDuration(value: string): boolean {
  return parseDuration(value) !== undefined;
}

/** Returns the nanoseconds of a duration in either notation, or undefined. */
export function parseDuration(value: string): bigint | undefined {
  const nanos = parseGoDuration(value);
  if (nanos !== undefined) return nanos;
  let total: bigint | undefined;
  for (const [, count, name] of value.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const unit = unitOf(name!.toLowerCase());
    if (unit !== undefined) total = (total ?? 0n) + BigInt(count!) * unit;
  }
  return total === undefined ? undefined : BigInt.asIntN(64, total);
}

/** Returns the nanoseconds of a duration in Go's notation, or undefined. */
export function parseGoDuration(text: string): bigint | undefined {
  try {
    return parseNanoseconds(text);
  } catch {
    return undefined;
  }
}

const second = 1_000_000_000n;

/** The names of each unit; any letters may follow the last one of a line. */
const units: readonly (readonly [bigint, ...string[]])[] = [
  [1n, "ns", "nano"],
  [1_000n, "us", "µs", "micro"],
  [1_000_000n, "ms", "milli"],
  [second, "s", "sec"],
  [60n * second, "m", "min"],
  [3_600n * second, "h", "hr", "hour"],
  [86_400n * second, "d", "day"],
  [604_800n * second, "w", "wk", "week"],
];

function unitOf(name: string): bigint | undefined {
  return units.find(([, ...names]) => names.includes(name) || name.startsWith(names.at(-1)!))?.[0];
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
