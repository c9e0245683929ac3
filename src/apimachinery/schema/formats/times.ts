import { parseNanoseconds } from "../../time/index.ts";

/** Returns the nanoseconds of a duration in Go's or Scala's notation (`1h30m`, `2 days`, `3 wk`), or undefined. */
export function parseDuration(value: string): bigint | undefined {
  const nanos = parseGoDuration(value);
  if (nanos !== undefined) return nanos;
  let total: bigint | undefined;
  for (const [, count, name] of value.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const unit = findUnit(name!.toLowerCase());
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

function findUnit(name: string): bigint | undefined {
  return units.find(([, ...names]) => names.includes(name) || name.startsWith(names.at(-1)!))?.[0];
}
