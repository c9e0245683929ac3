import type { Duration, DurationUnits } from "../json/json.ts";

/**
 * Converts a span of time to milliseconds: as Go writes it (`1h30m`, `250ms`, `-1.5s`), or in units.
 * Nanoseconds become fractions; for exact ones there is `parseNanoseconds`.
 * @throws TypeError that quotes the duration
 */
export function parseDuration(duration: string | DurationUnits): number {
  if (typeof duration !== "string") return sumUnits(duration);
  const nanoseconds = parseNanoseconds(duration);
  // Whole milliseconds first: a division of everything would lose digits of long spans.
  return Number(nanoseconds / 1_000_000n) + Number(nanoseconds % 1_000_000n) / 1e6;
}

const millisecondsOf: { readonly [unit: string]: number } = {
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
} satisfies Record<keyof DurationUnits, number>;

function sumUnits(duration: DurationUnits): number {
  // Callers without types may pass anything: a bare number has no unit.
  const counts = Object.entries(duration ?? {}).filter(([, count]) => count !== undefined);
  const areValid = counts.every(
    ([unit, count]) => Object.hasOwn(millisecondsOf, unit) && Number.isFinite(count),
  );
  if (counts.length === 0 || !areValid)
    throw new TypeError(`time: invalid duration ${JSON.stringify(duration)}`);
  return counts.reduce((sum, [unit, count]) => sum + millisecondsOf[unit]! * count, 0);
}

/** Writes milliseconds as Go does: `1h30m0s`, `1.5s`, `250ms`, `0s`. */
export function formatDuration(milliseconds: number): Duration {
  const whole = Math.trunc(milliseconds);
  const rest = Math.round((milliseconds - whole) * 1e6);
  return formatNanoseconds(BigInt(whole) * 1_000_000n + BigInt(rest)) as Duration;
}

/** The largest 64-bit integer, Go's limit of durations. */
const maxInt64 = (1n << 63n) - 1n;
const microsecond = 1_000n;
const millisecond = 1_000_000n;
const second = 1_000_000_000n;
const minute = 60n * second;
const hour = 60n * minute;

/** Both signs for micro are read; Go writes the first. */
const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", microsecond],
  ["\u00b5s", microsecond],
  ["\u03bcs", microsecond],
  ["ms", millisecond],
  ["s", second],
  ["m", minute],
  ["h", hour],
]);

/** A number, and everything before the next one as its unit. */
const partPattern = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/u;

/** Parses a span of time into nanoseconds, exactly. Go's limits hold: about 292 years. */
export function parseNanoseconds(text: string): bigint {
  const unsigned = /^[+-]/u.test(text) ? text.slice(1) : text;
  const sign = text.startsWith("-") ? -1n : 1n;
  if (unsigned === "0") return 0n;
  if (unsigned === "") throw new TypeError(`time: invalid duration ${JSON.stringify(text)}`);
  let total = 0n;
  for (let rest = unsigned; rest !== "";) {
    const [match, digits = "", fraction = "", unit = ""] = partPattern.exec(rest)!;
    if (digits + fraction === "") throw new TypeError(`time: invalid duration ${JSON.stringify(text)}`);
    if (unit === "") throw new TypeError(`time: missing unit in duration ${JSON.stringify(text)}`);
    const size = units.get(unit);
    if (size === undefined) {
      throw new TypeError(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
    }
    total += BigInt(digits || 0) * size + (BigInt(fraction || 0) * size) / 10n ** BigInt(fraction.length);
    // One more is allowed below zero, as in any two's complement.
    if (total > maxInt64 && !(sign < 0n && total === maxInt64 + 1n)) {
      throw new TypeError(`time: invalid duration ${JSON.stringify(text)}`);
    }
    rest = rest.slice(match.length);
  }
  return sign * total;
}

/** Writes nanoseconds as Go does. Below a second the largest unit that leaves a whole part is taken. */
export function formatNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const span = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (span < microsecond) return `${sign}${span}ns`;
  if (span < millisecond) return `${sign}${decimal(span, microsecond)}µs`;
  if (span < second) return `${sign}${decimal(span, millisecond)}ms`;
  const hours = span / hour;
  const minutes = (span % hour) / minute;
  const seconds = `${decimal(span % minute, second)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

/** Writes a span in a unit, with as many decimals as it needs. */
function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, "0")
    .replace(/0+$/u, "");
  return fraction === "" ? String(value / unit) : `${value / unit}.${fraction}`;
}
