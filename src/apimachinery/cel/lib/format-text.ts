import { compareText, goFloat, quote } from "../../text/index.ts";
import {
  CelDouble,
  CelList,
  CelMap,
  CelUint,
  type Int,
  TypeValue,
  type Value,
  isInt,
  typeOf,
} from "../values/value.ts";
import { EvalError } from "../values/eval-error.ts";
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from "../values/time.ts";

const defaultPrecision = 6;

/** Formats a string with the clauses `%s %d %f %e %b %x %X %o`. */
export function formatText(format: string, args: CelList): string {
  let used = 0;
  let out = "";
  for (let index = 0; index < format.length; index++) {
    if (format[index] !== "%") {
      out += format[index];
      continue;
    }
    const clause = /^%(?:(%)|(?:\.(\d*))?(.)?)/su.exec(format.slice(index))!;
    index += clause[0].length - 1;
    if (clause[1] !== undefined) {
      out += "%";
      continue;
    }
    if (used >= args.size) throw new EvalError(`index ${used} out of range`);
    out += formatClause(clause[3], clause[2], args.at(used++));
  }
  return out;
}

function formatClause(clause: string | undefined, precision: string | undefined, value: Value): string {
  const digits = precision === undefined ? defaultPrecision : Number(precision);
  switch (clause) {
    case "s":
      return formatAny(value);
    case "d":
      return formatDecimal(value);
    case "f":
      return formatFixed(doubleOf(value, "fixed-point clause can only be used on doubles"), digits);
    case "e":
      return formatExponent(doubleOf(value, "scientific clause can only be used on doubles"), digits);
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return integerOf(value, "only integers and bools can be formatted as binary").toString(2);
    case "o":
      return integerOf(value, "octal clause can only be used on integers").toString(8);
    case "x":
      return formatHex(value);
    case "X":
      return formatHex(value).toUpperCase();
    default:
      throw new EvalError(
        `could not parse formatting clause: unrecognized formatting clause "${clause ?? ""}"`,
      );
  }
}

function wrongType(message: string, value: Value): EvalError {
  return new EvalError(`error during formatting: ${message}, was given ${typeOf(value).runtimeName}`);
}

function integerOf(value: Value, message: string): Int {
  if (isInt(value)) return value;
  if (value instanceof CelUint) return value.value;
  throw wrongType(message, value);
}

function doubleOf(value: Value, message: string): number {
  if (value instanceof CelDouble) return value.value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Number.POSITIVE_INFINITY;
  if (value === "-Infinity") return Number.NEGATIVE_INFINITY;
  throw wrongType(message, value);
}

function formatDecimal(value: Value): string {
  return String(integerOf(value, "decimal clause can only be used on integers"));
}

function formatHex(value: Value): string {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return integerOf(value, "only integers, byte buffers, and strings can be formatted as hex").toString(16);
}

/** Fixed-point numbers have the format of the en-US locale, with commas between thousands. */
function formatFixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return formatInfinite(value);
  const [whole, fraction] = roundHalfEven(value, Math.min(digits, 100)).split(".");
  const grouped = whole!.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Rounds half to even; JavaScript rounds half up. */
function roundHalfEven(value: number, places: number): string {
  if (Math.abs(value) >= 1e21) return BigInt(value).toString() + (places > 0 ? `.${"0".repeat(places)}` : "");
  const text = value.toFixed(places);
  const exact = value.toFixed(100);
  const rest = exact.slice(exact.length - 100 + places);
  if (!/^50*$/.test(rest)) return text;
  const cut = exact.slice(0, exact.length - 100 + places).replace(/\.$/, "");
  return "02468".includes(cut.at(-1)!) ? cut : text;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The exponent is formatted as a power of ten, `1.5 × 10⁰³`. */
function formatExponent(value: number, digits: number): string {
  if (!Number.isFinite(value)) return formatInfinite(value);
  const [mantissa, exponent] = value.toExponential(Math.min(digits, 100)).split("e") as [string, string];
  const power = exponent.replace("+", "").replace(/^(-?)(\d)$/, "$10$2");
  const raised = power.replaceAll(/\d/g, (digit) => superscripts[Number(digit)]!).replace("-", "⁻");
  return `${mantissa}\u202f×\u202f10${raised}`;
}

function formatInfinite(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "∞" : "-∞";
}

/** Formats a value for `%s`. */
function formatAny(value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof CelDouble) return goFloat(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  return formatPart(value);
}

/** Formats a value inside a list or map, as in a CEL expression. */
function formatPart(value: Value): string {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value === "boolean" || isInt(value)) return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDouble)
    return Number.isFinite(value.value) ? roundHalfEven(value.value, 6) : quote(goFloat(value.value));
  if (value instanceof Uint8Array) return `b${quote(Buffer.from(value).toString())}`;
  if (value instanceof CelTimestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof CelDuration) return `duration("${formatDuration(value)}")`;
  if (value instanceof CelList) return `[${value.toArray().map(formatPart).join(", ")}]`;
  if (value instanceof CelMap) return formatMap(value);
  if (value instanceof TypeValue) return value.name;
  const message =
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
  throw wrongType(message, value);
}

/** The entries of a map are sorted by their formatted keys. */
function formatMap(map: CelMap): string {
  const entries = map.keys().map((key) => [formatPart(key), formatPart(map.find(key)!)] as const);
  const sorted = entries.toSorted(([a], [b]) => compareText(a, b));
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}
