import { shortEscape } from "../../text/index.ts";
import { type FunctionDecl, dyn, int, string, listOf, declare, method } from "../functions/function.ts";
import { EvalError } from "../values/eval-error.ts";
import { type CelList, type Int, NativeList } from "../values/value.ts";
import { formatText } from "./format-text.ts";

const textList = listOf(string);

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
  return list
    .toArray()
    .map((item) => {
      if (typeof item !== "string") throw new EvalError("no such overload");
      return item;
    })
    .join(separator);
}

/** Formats a string as a CEL literal, with the minimum of escapes. */
function quote(text: string): string {
  const safe = Array.from(text).map(
    (char) => shortEscape(char) ?? (/^[\ud800-\udfff]$/.test(char) ? "\ufffd" : char),
  );
  return `"${safe.join("")}"`;
}

const upperAscii = (text: string): string => text.replaceAll(/[a-z]/g, (char) => char.toUpperCase());
const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (char) => char.toLowerCase());

/** Version 2 of the strings library. Positions are in characters. */
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
  declare("strings.quote", "strings_quote", [string], string, quote),
];
