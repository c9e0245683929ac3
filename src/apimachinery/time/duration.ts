import type { Duration } from "../meta/scalars.ts";

const units: { readonly [unit: string]: number } = {
  ns: 1e-6,
  us: 1e-3,
  // Both the micro sign and the Greek letter, as Go reads them.
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Reads a span as Go writes it, `1h30m` or `-1.5s`, as milliseconds. Throws `TypeError` for anything else. */
export function parseDuration(text: Duration): number {
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body))
    throw new TypeError(`"${text}" is no duration: write it like 30s, 1h30m or 250ms`);
  let milliseconds = 0;
  for (const [, amount, unit] of body.matchAll(/([\d.]+)([a-zµμ]+)/g))
    milliseconds += Number(amount) * units[unit!]!;
  return sign * milliseconds;
}

/** Writes milliseconds as Go would: `1h30m0s`, `1.5s`, `250ms`. */
export function formatDuration(milliseconds: number): Duration {
  const sign = milliseconds < 0 ? "-" : "";
  const total = Math.abs(milliseconds);
  if (total === 0) return "0s";
  if (total < 1e-3) return `${sign}${round(total * 1e6)}ns`;
  if (total < 1) return `${sign}${round(total * 1e3)}µs`;
  if (total < 1000) return `${sign}${round(total)}ms`;
  const hours = Math.floor(total / units["h"]!);
  const minutes = Math.floor((total % units["h"]!) / units["m"]!);
  const seconds = round((total % units["m"]!) / 1000);
  const head = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : "";
  return `${sign}${head}${seconds}s`;
}

/** Nine digits are what Go keeps of a second. */
function round(value: number): number {
  return Number(value.toFixed(9));
}
