import { EvalError } from "./eval-error.ts";

/** The range of protobuf's Timestamp, in seconds since 1970. */
const secondsMin = -62_135_596_800n;
const secondsMax = 253_402_300_799n;
const nanosPerSecond = 1_000_000_000n;

/** A point in time between the years 1 and 9999, in nanoseconds since 1970. */
export class CelTimestamp {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Rejects times out of range for protobuf. */
  static of(nanos: bigint): CelTimestamp {
    const seconds = floorDivide(nanos, nanosPerSecond);
    if (seconds < secondsMin || seconds > secondsMax) throw new EvalError("timestamp overflow");
    return new CelTimestamp(nanos);
  }

  get milliseconds(): number {
    return Number(floorDivide(this.nanos, 1_000_000n));
  }
}

/** A duration in nanoseconds, within 64 bits: about 292 years. */
export class CelDuration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Rejects durations out of range for int64. */
  static of(nanos: bigint): CelDuration {
    if (nanos > 2n ** 63n - 1n || nanos < -(2n ** 63n)) throw new EvalError("duration overflow");
    return new CelDuration(nanos);
  }
}

/** Parses RFC 3339; fractional digits after the ninth are ignored. Returns undefined for any other text. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match =
    /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?([Zz]|[+-]\d{2}:\d{2})$/.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = zoneMinutes(match[8]!);
  if (offset === undefined) return undefined;
  const millis = BigInt(date.getTime()) - BigInt(offset) * 60_000n;
  const fraction = BigInt((match[7] ?? "").padEnd(9, "0").slice(0, 9));
  return new CelTimestamp(millis * 1_000_000n + fraction);
}

/** Formats RFC 3339 in UTC, without trailing zeros in the fraction. */
export function formatTimestamp({ nanos }: CelTimestamp): string {
  const seconds = floorDivide(nanos, nanosPerSecond);
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const fraction = (nanos - seconds * nanosPerSecond).toString().padStart(9, "0").replace(/0+$/, "");
  return `${text}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Formats a duration in seconds, `90.5s`. */
export function formatDuration({ nanos }: CelDuration): string {
  const sign = nanos < 0n ? "-" : "";
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = (magnitude % nanosPerSecond).toString().padStart(9, "0").replace(/0+$/, "");
  return `${sign}${magnitude / nanosPerSecond}${fraction === "" ? "" : `.${fraction}`}s`;
}

/** Returns the minutes east of UTC of `Z`, `+02:00` or `-0330`; undefined for any other text. */
export function zoneMinutes(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const match = /^([+-]?)(\d{1,2}):?(\d{2})$/.exec(zone);
  if (!match || Number(match[2]) > 23 || Number(match[3]) > 59) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === "-" ? -minutes : minutes;
}

/** Divides and rounds down. */
export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}
