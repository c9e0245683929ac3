import { quote } from "../text/index.ts";

/** The layouts of Go's `time.Parse` for times of whole seconds and for those with six digits. */
const layouts = { seconds: "2006-01-02T15:04:05Z07:00", micros: "2006-01-02T15:04:05.000000Z07:00" };

/** Returns why Go can't parse a time, in its words; undefined if it can. */
export function explainTime(text: string, precision: keyof typeof layouts): string | undefined {
  const layout = layouts[precision];
  try {
    const rest = readParts(text, precision === "micros");
    if (rest !== "") throw new TimeParseError(`: extra text: ${quote(rest)}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof TimeParseError)) throw error;
    const { message, expected, found } = error;
    if (expected === undefined) return `parsing time ${quote(text)}${message}`;
    return `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(found)} as ${quote(expected)}`;
  }
}

/** A part of a time that Go can't parse: `expected` is the part in the layout; without it, the message says why. */
class TimeParseError extends Error {
  readonly expected: string | undefined;
  readonly found: string;

  constructor(message: string, expected?: string, found = "") {
    super(message);
    this.expected = expected;
    this.found = found;
  }
}

/** Reads the parts of a time, and returns what follows them. */
function readParts(text: string, micros: boolean): string {
  const reader = new Reader(text);
  const year = reader.digits(4, "2006");
  reader.literal("-");
  const month = reader.digitsBetween(2, "01", "month", 1, 12);
  reader.literal("-");
  const day = reader.digits(2, "02");
  reader.literal("T");
  reader.hour();
  reader.literal(":");
  reader.digitsBetween(2, "04", "minute", 0, 59);
  reader.literal(":");
  reader.digitsBetween(2, "05", "second", 0, 59);
  if (micros) reader.fraction(".000000");
  else reader.skipFraction();
  reader.offset("Z07:00");
  // Day 0 of the next month is the last of this one. The calendar repeats every 400 years; Date.UTC would read years below
  // 100 as 19xx.
  if (reader.rest === "" && (day < 1 || day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()))
    throw new TimeParseError(": day out of range");
  return reader.rest;
}

/** Reads a time from left to right; `rest` is what is left of it. */
class Reader {
  rest: string;

  constructor(text: string) {
    this.rest = text;
  }

  literal(char: string): void {
    if (this.rest[0] !== char) throw new TimeParseError("", char, this.rest);
    this.rest = this.rest.slice(1);
  }

  digits(count: number, expected: string): number {
    const found = this.rest.slice(0, count);
    if (found.length < count || !/^\d+$/u.test(found)) throw new TimeParseError("", expected, this.rest);
    this.rest = this.rest.slice(count);
    return Number(found);
  }

  digitsBetween(count: number, expected: string, name: string, min: number, max: number): number {
    const value = this.digits(count, expected);
    if (value < min || value > max) throw new TimeParseError(`: ${name} out of range`);
    return value;
  }

  /** An hour may have one digit. */
  hour(): void {
    const count = /^\d\d/u.test(this.rest) ? 2 : 1;
    this.digitsBetween(count, "15", "hour", 0, 23);
  }

  fraction(expected: string): void {
    const found = this.rest.slice(0, expected.length);
    if (!/^[.,]\d{6}$/u.test(found)) throw new TimeParseError("", expected, this.rest);
    this.rest = this.rest.slice(expected.length);
  }

  /** Go accepts a fraction after the seconds, even if the layout has none. */
  skipFraction(): void {
    this.rest = this.rest.replace(/^[.,]\d+/u, "");
  }

  offset(expected: string): void {
    if (this.rest.startsWith("Z")) {
      this.rest = this.rest.slice(1);
      return;
    }
    const [found, hours, minutes] = /^[-+](\d\d):(\d\d)/u.exec(this.rest) ?? [];
    if (found === undefined) throw new TimeParseError("", expected, this.rest);
    if (Number(hours) > 24) throw new TimeParseError(": time zone offset hour out of range");
    if (Number(minutes) > 60) throw new TimeParseError(": time zone offset minute out of range");
    this.rest = this.rest.slice(found.length);
  }
}
