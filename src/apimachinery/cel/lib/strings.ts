import { compareText, goFloat, quote, shortEscape } from "../../text/index.ts";
import { type FunctionDecl, declare, listOf, method, typed } from "../functions/function.ts";
import { EvalError } from "../values/eval-error.ts";
import type { Int, Value } from "../values/value.ts";
import {
  CelDouble,
  CelList,
  CelMap,
  CelUint,
  NativeList,
  TypeValue,
  isInt,
  typeOf,
} from "../values/value.ts";
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from "../values/time.ts";

const { dyn, int, string } = typed;
const textList = listOf(string);
const defaultPrecision = 6;
/** The most digits of `toFixed()` and `toExponential()`. */
const maxDigits = 100;
const upperAscii = (text: string): string => text.replaceAll(/[a-z]/g, (char) => char.toUpperCase());
const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (char) => char.toLowerCase());

/** Version 2 of cel-go's strings library. Positions are in characters. */
export const strings: readonly FunctionDecl[] = [
  method("charAt", "string_char_at_int", [string, int], string, charAt),
  method("indexOf", "string_index_of_string", [string, string], int, indexOf),
  method("indexOf", "string_index_of_string_int", [string, string, int], int, indexOf),
  method("lastIndexOf", "string_last_index_of_string", [string, string], int, lastIndexOf),
  method("lastIndexOf", "string_last_index_of_string_int", [string, string, int], int, lastIndexOf),
  method("lowerAscii", "string_lower_ascii", [string], string, lowerAscii),
  method("upperAscii", "string_upper_ascii", [string], string, upperAscii),
  method("replace", "string_replace_string_string", [string, string, string], string, replace),
  method("replace", "string_replace_string_string_int", [string, string, string, int], string, replace),
  method("split", "string_split_string", [string, string], textList, split),
  method("split", "string_split_string_int", [string, string, int], textList, split),
  method("substring", "string_substring_int", [string, int], string, substring),
  method("substring", "string_substring_int_int", [string, int, int], string, substring),
  method("trim", "string_trim", [string], string, trim),
  method("join", "list_join", [textList], string, join),
  method("join", "list_join_string", [textList, string], string, join),
  method("format", "string_format", [string, listOf(dyn)], string, formatText),
  declare("strings.quote", "strings_quote", [string], string, quoteLiteral),
];

/** Formats a string with the clauses `%s %d %f %e %b %x %X %o`. */
function formatText(format: string, args: CelList): string {
  let argIndex = 0;
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
    if (argIndex >= args.size) throw new EvalError(`index ${argIndex} out of range`);
    out += formatClause(clause[3], clause[2], args.at(argIndex++));
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

function integerOf(value: Value, message: string): Int {
  if (isInt(value)) return value;
  if (value instanceof CelUint) return value.value;
  throw wrongType(message, value);
}

function wrongType(message: string, value: Value): EvalError {
  return new EvalError(`error during formatting: ${message}, was given ${typeOf(value).runtimeName}`);
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
  if (!Number.isFinite(value)) return formatNonFinite(value);
  const [whole, fraction] = roundHalfEven(value, Math.min(digits, maxDigits)).split(".");
  const grouped = whole!.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Rounds half to even, as Go does; JavaScript rounds half up. */
function roundHalfEven(value: number, places: number): string {
  // From here on `toFixed()` writes an exponent.
  if (Math.abs(value) >= 1e21) return BigInt(value).toString() + (places > 0 ? `.${"0".repeat(places)}` : "");
  const text = value.toFixed(places);
  const exact = value.toFixed(maxDigits);
  const rest = exact.slice(exact.length - maxDigits + places);
  if (!/^50*$/.test(rest)) return text;
  const cut = exact.slice(0, exact.length - maxDigits + places).replace(/\.$/, "");
  return "02468".includes(cut.at(-1)!) ? cut : text;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The exponent is formatted as a power of ten, `1.5×10⁰³`. */
function formatExponent(value: number, digits: number): string {
  if (!Number.isFinite(value)) return formatNonFinite(value);
  const [mantissa = "", exponent = ""] = value.toExponential(Math.min(digits, maxDigits)).split("e");
  const power = exponent.replace("+", "").replace(/^(-?)(\d)$/, "$10$2");
  const raised = power.replaceAll(/\d/g, (digit) => superscripts[Number(digit)]!).replace("-", "⁻");
  return `${mantissa}×10${raised}`;
}

function formatNonFinite(value: number): string {
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
    return Number.isFinite(value.value)
      ? roundHalfEven(value.value, defaultPrecision)
      : quote(goFloat(value.value));
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

function charAt(text: string, index: Int): string {
  const chars = Array.from(text);
  if (index < 0 || index > chars.length) throw new EvalError(`index out of range: ${index}`);
  return chars[Number(index)] ?? "";
}

function indexOf(text: string, part: string, from: Int = 0): Int {
  const chars = Array.from(text);
  if (from < 0 || (from > chars.length && part !== "")) throw new EvalError(`index out of range: ${from}`);
  if (part === "") return from;
  const wanted = Array.from(part);
  for (let at = Number(from); at <= chars.length - wanted.length; at++) {
    if (wanted.every((char, offset) => chars[at + offset] === char)) return at;
  }
  return -1;
}

function lastIndexOf(text: string, part: string, from?: Int): Int {
  const chars = Array.from(text);
  if (from !== undefined && (from < 0 || (from >= chars.length && part !== ""))) {
    throw new EvalError(`index out of range: ${from}`);
  }
  if (part === "") return from ?? chars.length;
  const wanted = Array.from(part);
  const start = Math.min(Number(from ?? chars.length), chars.length - wanted.length);
  for (let at = start; at >= 0; at--) {
    if (wanted.every((char, offset) => chars[at + offset] === char)) return at;
  }
  return -1;
}

function replace(text: string, from: string, to: string, count: Int = -1): string {
  if (count < 0) return text.replaceAll(from, () => to);
  let rest = Number(count);
  return text.replaceAll(from, () => (rest-- > 0 ? to : from));
}

function split(text: string, separator: string, limit: Int = -1): CelList {
  if (limit === 0) return new NativeList([]);
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  const max = Number(limit);
  if (max < 0 || parts.length <= max) return new NativeList(parts);
  return new NativeList([...parts.slice(0, max - 1), parts.slice(max - 1).join(separator)]);
}

function substring(text: string, start: Int, end?: Int): string {
  const chars = Array.from(text);
  const last = end ?? chars.length;
  if (end !== undefined && start > end) {
    throw new EvalError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > chars.length) throw new EvalError(`index out of range: ${start}`);
  if (last < 0 || last > chars.length) throw new EvalError(`index out of range: ${last}`);
  return chars.slice(Number(start), Number(last)).join("");
}

/** Trims all Unicode white space at both ends. */
function trim(text: string): string {
  return text.replaceAll(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, "");
}

function join(list: CelList, separator = ""): string {
  const items = list.toArray();
  if (!items.every((item) => typeof item === "string")) throw new EvalError("no such overload");
  return items.join(separator);
}

/** Formats a string as a CEL literal, with the minimum of escapes. */
function quoteLiteral(text: string): string {
  const safe = Array.from(text).map(
    (char) => shortEscape(char) ?? (/^[\ud800-\udfff]$/.test(char) ? "\ufffd" : char),
  );
  return `"${safe.join("")}"`;
}
