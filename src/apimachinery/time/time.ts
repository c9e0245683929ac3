import type { MicroTime, Time } from "../json/index.ts";

/** The last result of `formatTime()`: a server writes the same second again and again. */
let last: { second: number; text: Time } = { second: 0, text: "1970-01-01T00:00:00Z" };

/** Writes a point in time as objects carry it: RFC 3339, UTC, whole seconds. Fractions are cut off, as Go does. */
export function formatTime(time: Date | number): Time {
  const second = Math.floor(Number(time) / 1000);
  if (second !== last.second) last = { second, text: `${new Date(time).toISOString().slice(0, -5)}Z` };
  return last.text;
}

/** Writes a point in time with six digits, as leases and events carry it. Fractions of a millisecond count. */
export function formatMicroTime(time: Date | number): MicroTime {
  const milliseconds = Number(time);
  // Rounded to micros first: a fraction of a large number is never exact.
  const micros = Math.round((milliseconds - Math.floor(milliseconds)) * 1000);
  const whole = new Date(Math.floor(milliseconds) + (micros === 1000 ? 1 : 0)).toISOString();
  return `${whole.slice(0, -1)}${String(micros % 1000).padStart(3, "0")}Z`;
}

const rfc3339 =
  /^(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/u;

/**
 * Reads a time of either precision as milliseconds since 1970; digits below a millisecond become fractions.
 * @throws TypeError that quotes the text
 */
export function parseTime(text: Time): number {
  const match = rfc3339.exec(text);
  const date = match?.[1] ?? "";
  const seconds = Date.parse(`${date}Z`);
  // A date that doesn't exist moves into the next month when it is parsed.
  if (!match || Number.isNaN(seconds) || !new Date(seconds).toISOString().startsWith(date)) {
    throw new TypeError(`${JSON.stringify(text)} is not a time such as "2024-05-01T12:00:00Z"`);
  }
  const [, , fraction = "", sign, hours = "0", minutes = "0"] = match;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return seconds - offset + Number(`0.${fraction || 0}`) * 1000;
}
