import { compareText } from "./text.ts";
import { type JSONValue, isObject, memberOf } from "../json/index.ts";

/** Formats a value as Go's `%v` does: some messages of the API server contain values in that form. */
export function goText(value: JSONValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goText(memberOf(value, name)!)}`);
  return `map[${members.join(" ")}]`;
}

/** Formats a value as Go's `%#v` does: Go syntax, with types and quotes. */
export function goSyntax(value: JSONValue): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${goSyntax(memberOf(value, name)!)}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}

/** Quotes a string as Go's `%q` does: the form of strings in messages of the API server. */
export function quote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += quoteChar(char);
  return `${out}"`;
}

function quoteChar(char: string): string {
  const simple = shortEscape(char);
  if (simple !== undefined) return simple;
  const code = char.codePointAt(0)!;
  if (code >= 0x20 && code < 0x7f) return char;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char)) return char;
  if (code > 0xffff) return `\\U${code.toString(16).padStart(8, "0")}`;
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** The escape sequences of Go, and of languages that adopted them, such as CEL: letter to character. */
export const controlEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The letters of escape sequences, by character. */
const lettersOfEscapes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(controlEscapes).map(([letter, char]) => [char, letter]),
);

/** Returns the two-character escape sequence that a character needs within double quotes, if it has one. */
export function shortEscape(char: string): string | undefined {
  if (char === '"' || char === "\\") return `\\${char}`;
  const letter = lettersOfEscapes[char];
  return letter === undefined ? undefined : `\\${letter}`;
}

/** Formats an invalid value as field errors do: strings as `%q`, other scalars as `%v`, the rest as JSON. */
export function goValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return goNumber(value);
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return goJSON(value);
  }
}

/** Formats a JSON number as Go does: integers are decoded to int64, other numbers to float64. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  return goFloat(value);
}

/** Formats a float64 as Go's `%v` does: shortest digits, an exponent below 1e-4 and from 1e6 on. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e6)) {
    // Go writes an exponent with two digits.
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return String(value);
}

/** Formats a float64 without an exponent. */
export function goPlainFloat(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  if (Number.isInteger(value)) return BigInt(value).toString();
  // A float64 has at most 17 significant digits: 20 more decimals than its exponent are enough.
  return value.toFixed(Math.min(100, Number(text.slice(text.indexOf("e-") + 2)) + 20)).replace(/0+$/, "");
}

/** Encodes JSON as Go does: sorted keys, and `<`, `>`, `&` escaped. */
export function goJSON(value: unknown): string {
  return encode(value, (object) => Object.keys(object).sort(compareText));
}

/** Encodes JSON as Go does for a struct: fields keep their order, and undefined ones are left out. */
export function goStruct(value: unknown): string {
  return encode(value, fieldsOf);
}

type Members = Readonly<Record<string, unknown>>;

/** Lists the fields of a struct. Names that begin with a digit are the keys of a map, which Go sorts. */
function fieldsOf(object: Members): readonly string[] {
  const names = Object.keys(object).filter((name) => object[name] !== undefined);
  return names.some((name) => /^\d/u.test(name)) ? names.sort(compareText) : names;
}

/** Encodes JSON with the members that `namesOf` lists, in that order. */
function encode(value: unknown, namesOf: (object: Members) => readonly string[]): string {
  if (typeof value === "bigint") return String(Number(value));
  if (Array.isArray(value)) return `[${value.map((item) => encode(item, namesOf)).join(",")}]`;
  if (typeof value !== "object" || value === null) return escapeMarkup(JSON.stringify(value ?? null));
  const object = value as Members;
  const members = namesOf(object).map(
    (name) => `${escapeMarkup(JSON.stringify(name))}:${encode(object[name], namesOf)}`,
  );
  return `{${members.join(",")}}`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll(
    /[<>&\u2028\u2029]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
