import { shortEscape } from "../text/index.ts";

/** A value in our YAML documents. A bigint is an integer that a number does not represent exactly. */
export type YamlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue | undefined };

/**
 * Writes a value the way go-yaml v2 does, byte for byte: kubectl, kustomize and controller-gen print that form, so
 * a file of ours shows no difference to theirs. Keys are sorted, sequences inside a mapping are not indented.
 */
export function emitYaml(value: YamlValue, shared?: SharedMappings): string {
  const emitter = new Emitter(shared);
  emitter.node(value, 0, 0, { inMapping: false, isInline: true });
  return emitter.text();
}

const surrogate = /[\ud800-\udfff]/;

/** Sorts keys as go-yaml does: letters after everything else, runs of digits by their number. */
export function compareKeys(a: string, b: string): number {
  // Without surrogates, a text is a list of its runes, and is read without a copy.
  if (surrogate.test(a) || surrogate.test(b)) return compareRunes(Array.from(a), Array.from(b));
  return compareRunes(a, b);
}

type Runes = string | readonly string[];

function compareRunes(left: Runes, right: Runes): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) if (left[at] !== right[at]) return compareRunesAt(left, right, at);
  return left.length - right.length;
}

/** Compares two texts at the first rune in which they differ. */
function compareRunesAt(left: Runes, right: Runes, at: number): number {
  const [a, b] = [left[at]!, right[at]!];
  const [aIsLetter, bIsLetter] = [isLetter(a), isLetter(b)];
  if (aIsLetter !== bIsLetter) return aIsLetter ? 1 : -1;
  if (!aIsLetter) {
    // A zero inside a longer run of digits counts as a place, not as a leading zero.
    const prefix = (a === "0" || b === "0") && hasSignificantDigitBefore(left, at) ? "1" : "";
    const [aRun, bRun] = [digitsFrom(left, at), digitsFrom(right, at)];
    const difference = Number(`${prefix}${aRun}` || 0) - Number(`${prefix}${bRun}` || 0);
    if (difference !== 0) return difference;
    if (aRun.length !== bRun.length) return aRun.length - bRun.length;
  }
  return a.codePointAt(0)! - b.codePointAt(0)!;
}

const digit = /^\d$/u;

function hasSignificantDigitBefore(runes: Runes, at: number): boolean {
  for (let i = at - 1; i >= 0 && digit.test(runes[i]!); i--) if (runes[i] !== "0") return true;
  return false;
}

function digitsFrom(runes: Runes, at: number): string {
  let digits = "";
  for (let end = at; end < runes.length && digit.test(runes[end]!); end++) digits += runes[end];
  return digits;
}

const letter = /^\p{L}$/u;

function isLetter(rune: string): boolean {
  const code = rune.charCodeAt(0);
  // The bit 32 distinguishes small letters from capital ones.
  return code < 0x80 ? (code | 32) >= 97 && (code | 32) <= 122 : letter.test(rune);
}

/** Mappings that occur in many documents at the same depth: the text of each is kept. */
export class SharedMappings {
  readonly #texts = new WeakMap<object, Map<number, string>>();

  add(mapping: object): void {
    if (!this.#texts.has(mapping)) this.#texts.set(mapping, new Map());
  }

  /** The texts of a shared mapping by its indent; undefined if it isn't shared. */
  textsOf(mapping: object): Map<number, string> | undefined {
    return this.#texts.get(mapping);
  }
}

/** Where a node begins: as the value of a key, and whether on the line that is being written, after `-` or `:`. */
interface Start {
  readonly inMapping: boolean;
  readonly isInline: boolean;
}

/** Writes piece by piece into one list: a CRD with pod templates has ten thousand lines. */
class Emitter {
  readonly #out: string[] = [];
  readonly #shared: SharedMappings | undefined;

  constructor(shared?: SharedMappings) {
    this.#shared = shared;
  }

  text(): string {
    return `${this.#out.join("")}\n`;
  }

  /** `column` is where a scalar starts on the current line; collections use `indent` alone. */
  node(value: YamlValue, indent: number, column: number, start: Start): void {
    if (Array.isArray(value)) this.#sequence(value as readonly YamlValue[], indent, start);
    else if (typeof value === "object" && value !== null) {
      this.#mapping(value as { readonly [key: string]: YamlValue | undefined }, indent, start);
    } else this.#out.push(formatScalar(value, indent + 2, column));
  }

  #sequence(items: readonly YamlValue[], indent: number, { inMapping, isInline }: Start): void {
    if (items.length === 0) {
      this.#out.push("[]");
      return;
    }
    // Inside a mapping, the dashes stand below the key and not to its right.
    const at = inMapping ? indent - 2 : indent;
    for (const [i, item] of items.entries()) {
      if (i > 0 || !isInline) this.#newLine(at);
      this.#out.push("- ");
      this.node(item, isCollection(item) ? at + 2 : at, at + 2, inline);
    }
  }

  #mapping(mapping: { readonly [key: string]: YamlValue | undefined }, indent: number, { isInline }: Start) {
    const keys = definedKeys(mapping);
    if (keys.length === 0) {
      this.#out.push("{}");
      return;
    }
    const texts = isInline ? undefined : this.#shared?.textsOf(mapping);
    const known = texts?.get(indent);
    if (known !== undefined) {
      this.#out.push(known);
      return;
    }
    const start = this.#out.length;
    for (let i = 0; i < keys.length; i++) {
      if (i > 0 || !isInline) this.#newLine(indent);
      this.#entry(keys[i]!, mapping[keys[i]!]!, indent);
    }
    texts?.set(indent, this.#out.slice(start).join(""));
  }

  #entry(key: string, value: YamlValue, indent: number): void {
    const simple = formatSimpleKey(key);
    if (simple === undefined) {
      // go-yaml writes long keys, and those of several lines, in the explicit form.
      this.#out.push(`? ${formatScalar(key, indent + 2, indent + 2)}`);
      this.#newLine(indent);
      this.#out.push(": ");
      this.node(value, isCollection(value) ? indent + 2 : indent, indent + 2, inline);
      return;
    }
    const { text, width } = simple;
    this.#out.push(text);
    const isNested = isCollection(value) && !isEmpty(value as object);
    if (!isNested) this.#out.push(" ");
    this.node(value, isCollection(value) ? indent + 2 : indent, indent + width + 1, belowKey);
  }

  #newLine(indent: number): void {
    this.#out.push((lineStarts[indent] ??= `\n${" ".repeat(indent)}`));
  }
}

/** Most scalars are words and sentences, which need no further checks. */
const plainText = /^[A-Za-z](?:[\w ,.()/'-]*[\w,.()/'-])?$/;

/**
 * Writes one scalar as go-yaml v2 does. `indent` is that of lines that continue it, `column` where it starts;
 * a column of minus infinity stands for a key, which is never folded.
 */
function formatScalar(value: string | number | bigint | boolean | null, indent: number, column: number) {
  if (typeof value === "number") return formatNumber(value);
  if (typeof value !== "string") return String(value);
  if (plainText.test(value) && resolvesToString(value)) return fold(value, indent, column, 0);
  const isKey = column === Number.NEGATIVE_INFINITY;
  const styles = findAllowedStyles(value);
  if (value.includes("\n") && styles.block && !isKey) return formatLiteral(value, indent);
  if (!value.includes("\n") && resolvesToString(value)) {
    if (styles.plain) return fold(value, indent, column, 0);
    if (styles.singleQuoted) return `'${fold(value.replaceAll("'", "''"), indent, column + 1, 1)}'`;
  }
  return formatDoubleQuoted(value, indent, column);
}

/** The words that YAML 1.1 reads as booleans, nulls, floats and merges. The last, go-yaml writes plain, and reads another value back. */
const nonStringWords = new Set([
  "<<",
  ..."y Y yes Yes YES true True TRUE on On ON n N no No NO false False FALSE off Off OFF".split(" "),
  ..."~ null Null NULL .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF".split(" "),
]);

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/u;

/**
 * Returns true if a YAML 1.1 parser reads a plain scalar as a string. kubectl and kustomize use YAML 1.1, in which `y`,
 * `on`, `1_000`, `12:30` and `2024-01-15` are not strings, and the API server would reject their values.
 */
function resolvesToString(text: string): boolean {
  if (text === "" || nonStringWords.has(text)) return false;
  const first = text[0]!;
  if (first === ".") return !isFloat(text);
  if (!/[-+0-9]/u.test(first)) return true;
  return !isTimestamp(text) && !isInteger(text) && !isFloat(text.replaceAll("_", "")) && !base60.test(text);
}

const isFloat = (text: string): boolean =>
  /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/u.test(text);

function isInteger(text: string): boolean {
  return /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|[0-9]+)$/u.test(text.replaceAll("_", ""));
}

const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?(?:Z|[-+]\d\d:\d\d))|(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?))?$/u;

function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  const [hour, minute, second] = [4, 5, 6].map((i) => Number(match[i] ?? match[i + 3] ?? 0));
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth;
  return isDate && hour! < 24 && minute! < 60 && second! < 60;
}

/** Writes a number as Go does: as an integer if it fits into 64 bits, else in the shortest form of `%g`. */
function formatNumber(value: number): string {
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64)
    return String(value === 0 ? 0 : value);
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const digits = String(Math.abs(power)).padStart(2, "0");
  return `${mantissa}e${power < 0 ? "-" : "+"}${digits}`;
}

/** The styles in which go-yaml can write a text. */
interface AllowedStyles {
  plain: boolean;
  singleQuoted: boolean;
  block: boolean;
}

// go-yaml's idea of a printable character ends at U+FFFF and leaves out the tab and the byte order mark.
const printable = /^[\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/u;
const indicators = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:[ ]|$))|:(?:[ ]|$)|[ ]#/u;

function findAllowedStyles(value: string): AllowedStyles {
  const spaceThenBreak = / \n/u.test(value);
  const breakThenSpace = /\n /u.test(value);
  const isSpecial = spaceThenBreak || !printable.test(value);
  const isPadded = /^[ \n]|[ \n]$/u.test(value);
  return {
    plain: !isSpecial && !isPadded && !breakThenSpace && !value.includes("\n") && !indicators.test(value),
    singleQuoted: !isSpecial && !breakThenSpace,
    block: !isSpecial && !value.endsWith(" "),
  };
}

/** Writes a text of several lines in the literal style: `|`. */
function formatLiteral(value: string, indent: number): string {
  const hint = /^[ \n]/u.test(value) ? "2" : "";
  const chomp = !value.endsWith("\n") ? "-" : value === "\n" || value.endsWith("\n\n") ? "+" : "";
  const pad = " ".repeat(indent);
  const lines = value.replace(/\n$/u, "").split("\n");
  return `|${hint}${chomp}\n${lines.map((line) => (line === "" ? "" : pad + line)).join("\n")}`;
}

/** Lines are folded at the first single space beyond this column. */
const bestWidth = 80;

/**
 * Breaks at single spaces beyond the best width, which counts characters. `guard` characters at both ends are the
 * quotes' neighbours: never broken.
 */
function fold(text: string, indent: number, column: number, guard: number): string {
  if (column + text.length <= bestWidth) return text;
  // A text of plain characters has the same indices, and is read without a copy.
  const runes: string | readonly string[] = surrogate.test(text) ? Array.from(text) : text;
  const lines: string[] = [];
  let start = 0;
  const nextSpace = (at: number): number => runes.indexOf(" ", start + Math.max(0, bestWidth + 1 - at));
  let space = nextSpace(column);
  while (space !== -1) {
    const isEdge = space < guard || space >= runes.length - guard;
    const isSingle = runes[space - 1] !== " " && runes[space + 1] !== " ";
    if (isSingle && !isEdge) {
      lines.push(slice(runes, start, space));
      start = space + 1;
      space = nextSpace(indent);
    } else space = runes.indexOf(" ", space + 1);
  }
  lines.push(slice(runes, start));
  return lines.join(`\n${" ".repeat(indent)}`);
}

function slice(runes: string | readonly string[], start: number, end?: number): string {
  return typeof runes === "string" ? runes.slice(start, end) : runes.slice(start, end).join("");
}

/** Writes a text in double quotes, folded at spaces. */
function formatDoubleQuoted(value: string, indent: number, column: number): string {
  const runes = Array.from(value);
  // go-yaml looks for a byte order mark at the start of the text, for each character of it.
  const mustEscape = value.startsWith("\ufeff");
  let text = '"';
  let at = column + 1;
  let wasSpace = false;
  for (const [i, rune] of runes.entries()) {
    let written = rune;
    if (mustEscape || rune === '"' || rune === "\\" || rune === "\n" || !printable.test(rune)) {
      written = escape(rune);
      wasSpace = false;
    } else if (rune === " ") {
      const isEdge = i === 0 || i === runes.length - 1;
      if (!wasSpace && at > bestWidth && !isEdge) {
        // A backslash keeps a second space that would otherwise be lost as indentation.
        written = `\n${" ".repeat(indent)}${runes[i + 1] === " " ? "\\" : ""}`;
        at = indent - written.length + (runes[i + 1] === " " ? 1 : 0);
      }
      wasSpace = true;
    } else wasSpace = false;
    text += written;
    at += written.length;
  }
  return `${text}"`;
}

/** The escape sequences that YAML has beyond those of Go. */
const yamlEscapes: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x1b": "\\e",
  "\x85": "\\N",
  "\xa0": "\\_",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

function escape(rune: string): string {
  const short = shortEscape(rune) ?? yamlEscapes[rune];
  if (short !== undefined) return short;
  const code = rune.codePointAt(0)!;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${hex.padStart(4, "0")}`;
  return `\\U${hex.padStart(8, "0")}`;
}

/** A line break and an indent, by the indent. */
const lineStarts: string[] = [];
const belowKey: Start = { inMapping: true, isInline: false };
const inline: Start = { inMapping: false, isInline: true };

/** The keys with a value, sorted. */
function definedKeys(mapping: { readonly [key: string]: YamlValue | undefined }): string[] {
  const keys: string[] = [];
  for (const key of Object.keys(mapping)) if (mapping[key] !== undefined) keys.push(key);
  return keys.length > 1 ? keys.sort(compareKeys) : keys;
}

/** A key as it is written. */
interface SimpleKey {
  /** With its colon. */
  readonly text: string;
  /** In characters. */
  readonly width: number;
}

/** The keys that were written before: a schema repeats few keys thousands of times. */
const simpleKeys = new Map<string, SimpleKey>();
const maxSimpleKeys = 10_000;

/** Returns a key with its colon; undefined for one that must be written in the explicit form. */
function formatSimpleKey(key: string): SimpleKey | undefined {
  const known = simpleKeys.get(key);
  if (known !== undefined) return known;
  if (key.includes("\n") || (key.length > 42 && Buffer.byteLength(key) > 128)) return undefined;
  const text = `${formatScalar(key, 0, Number.NEGATIVE_INFINITY)}:`;
  const simple = { text, width: countRunes(text) };
  if (simpleKeys.size >= maxSimpleKeys) simpleKeys.clear();
  simpleKeys.set(key, simple);
  return simple;
}

/** The number of characters of a text. */
function countRunes(text: string): number {
  return surrogate.test(text) ? Array.from(text).length : text.length;
}

function isCollection(value: YamlValue): boolean {
  return typeof value === "object" && value !== null;
}

function isEmpty(value: object): boolean {
  for (const item of Object.values(value)) if (item !== undefined) return false;
  return true;
}
