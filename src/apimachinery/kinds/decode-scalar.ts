import { isObject } from "../json/index.ts";
import { canonicalizeQuantity } from "../quantity/index.ts";
import { explainTime, formatTime, parseTime } from "../time/index.ts";

/** A value that Go could not decode into the field's type; clients get the message. */
export class DecodeError extends Error {}

/** Decodes a quantity in its canonical form. Whatever is not a string counts as its JSON. */
export function decodeQuantity(value: unknown): string {
  const text = writtenFloat(value) ?? (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  try {
    return canonicalizeQuantity(text);
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
}

/**
 * Go decodes a number that is written with a point or an exponent as a float, never into an integer, even `1.0` and `1e3`.
 * `JSON.parse` keeps no digits, so such numbers are made strings that begin with what no client can know.
 */
let mark: string | undefined;

/** Made when it is needed: to load Node's cryptography takes 6 ms. */
function makeMark(): string {
  return (mark ??= `\u0000${crypto.randomUUID()}`);
}

/** A string, or a number. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gsu;
const someFloat = /[:[,]\s*-?\d+(?:\.\d|[eE])/u;

/** A JSON text with all floats marked whose digits JavaScript would lose; undefined if there are none. */
export function markFloats(json: string): string | undefined {
  if (!someFloat.test(json)) return undefined;
  let found = false;
  const marked = json.replaceAll(tokens, (token) => {
    if (!/^[-\d].*[.eE]/u.test(token) || String(Number(token)) === token) return token;
    found = true;
    return JSON.stringify(makeMark() + token);
  });
  return found ? marked : undefined;
}

/** The text of a marked float; undefined for any other value. */
export function writtenFloat(value: unknown): string | undefined {
  if (typeof value !== "string" || mark === undefined || !value.startsWith(mark)) return undefined;
  return value.slice(mark.length);
}

/** Decodes a time, which Go writes in UTC, without a fraction or with six digits. */
export function decodeTime(value: string, isMicro: boolean): string {
  const why = explainTime(value, isMicro ? "micros" : "seconds");
  if (why !== undefined) throw new DecodeError(why);
  // Only what Go's own parser takes but ours does not is kept as it is.
  try {
    const whole = formatTime(parseTime(value));
    return isMicro ? `${whole.slice(0, -1)}${/\.\d{6}/u.exec(value)![0]}Z` : whole;
  } catch {
    return value;
  }
}

/** Why a text is not base64, in Go's words. */
export function explainBase64(text: string): string | undefined {
  const at = malformedAt(text);
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}

/** Returns the position at which Go stops to decode base64: it takes four characters at a time, and skips line breaks. */
function malformedAt(text: string): number | undefined {
  const end = text.search(/[^A-Za-z0-9+/\r\n]/u);
  const rest = text.slice(0, end === -1 ? undefined : end).replaceAll(/[\r\n]/gu, "").length % 4;
  if (end === -1) return rest === 0 ? undefined : text.length - rest;
  if (text[end] !== "=" || rest < 2) return end;
  let next = afterBreaks(text, end + 1);
  if (rest === 2) {
    if (text[next] !== "=") return next === text.length ? next : next - 1;
    next = afterBreaks(text, next + 1);
  }
  return next === text.length ? undefined : next;
}

function afterBreaks(text: string, index: number): number {
  const breaks = /^[\r\n]*/u.exec(text.slice(index))![0];
  return index + breaks.length;
}

/** Returns the name of a JSON value in the errors of Go's decoder. A number has its text where another number would be valid. */
export function jsonKind(value: unknown, wanted: string): string {
  if (Array.isArray(value)) return "array";
  if (isObject(value)) return "object";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "number") return typeof value;
  return /^(?:u?int|float)\d+$/u.test(wanted) ? `number ${numberText(value)}` : "number";
}

/** Go shows large integers with all of their digits. */
function numberText(value: number): string {
  const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e25;
  return isLarge ? BigInt(value).toString() : String(value);
}

/** Returns whether Go can decode a value into an integer of a format. */
export function isInteger(value: unknown, format: string | undefined): boolean {
  if (typeof value !== "number" || !Number.isInteger(value)) return false;
  const limit = 2 ** (format === "int32" ? 31 : 63);
  return value >= -limit && value < limit;
}
