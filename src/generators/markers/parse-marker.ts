import { controlEscapes } from "@tsbuilder/apimachinery/text";
import { didYouMean, listWords } from "../../shared/text.ts";
import type { ArgumentDefinition, ArgumentType, MarkerArguments, MarkerDefinition } from "./definition.ts";
import type { MarkerValue } from "../model/schema.ts";

/** A marker's text, split at its first `=`; offsets start after the `+`. */
export interface MarkerParts {
  /** Everything before the `=`: the whole name, or the name and the first argument. */
  readonly name: string;
  readonly value: string | undefined;
  readonly valueOffset: number;
}

/** Returns whether a line is a marker: a plus sign directly before a letter. `+ item` is a list item in prose. */
export function isMarkerLine(line: string): boolean {
  return /^\+[A-Za-z]/u.test(line);
}

/** Splits `NAME=REST`; a marker without `=` has no value. */
export function splitMarker(text: string): MarkerParts {
  const equals = text.indexOf("=");
  if (equals === -1) return { name: text.trim(), value: undefined, valueOffset: text.length };
  return { name: text.slice(0, equals), value: text.slice(equals + 1), valueOffset: equals + 1 };
}

/** Parses the arguments of a marker by its definition. Throws a MarkerError, whose offset is that in the marker. */
export function parseArguments(parts: MarkerParts, definition: MarkerDefinition): MarkerArguments {
  const anonymous = definition.arguments[""];
  if (anonymous) return parseSingle(parts, definition, anonymous);
  const names = Object.keys(definition.arguments);
  // `resource:path=foos`: the first argument's name follows the marker's name.
  const first = parts.name.slice(definition.name.length + 1);
  const text = (first === "" ? "" : `${first}=`) + (parts.value ?? "");
  const offset = first === "" ? parts.valueOffset : parts.valueOffset - 1 - first.length;
  if (names.length === 0) {
    if (parts.value === undefined) return {};
    const message = `+${definition.name} takes no value`;
    throw new MarkerError(message, parts.valueOffset - 1, `write +${definition.name}`);
  }
  try {
    return parseNamed(text, definition, names);
  } catch (error) {
    throw error instanceof MarkerError
      ? new MarkerError(error.message, error.offset + offset, error.hint)
      : error;
  }
}

function parseSingle(
  parts: MarkerParts,
  definition: MarkerDefinition,
  argument: ArgumentDefinition,
): MarkerArguments {
  const text = definition.hashComments ? parts.value?.replace(/#.*/u, "").trim() : parts.value;
  if (text === undefined || text.trim() === "") {
    if (argument.optional) return {};
    const message = `+${definition.name} requires a value`;
    throw new MarkerError(message, parts.valueOffset, `write +${definition.name}=<${argument.type}>`);
  }
  try {
    refuseDeepNesting(text);
    const scanner = new Scanner(text);
    const value = parseValue(scanner, argument);
    expectEnd(scanner, argument);
    return { "": value };
  } catch (error) {
    if (!(error instanceof MarkerError)) throw error;
    throw new MarkerError(error.message, error.offset + parts.valueOffset, error.hint);
  }
}

function parseNamed(text: string, definition: MarkerDefinition, names: readonly string[]): MarkerArguments {
  refuseDeepNesting(text);
  const scanner = new Scanner(text);
  const args: Record<string, MarkerArguments[string]> = {};
  while (scanner.peekNoSpace() !== "") {
    const name = scanner.scan();
    if (name.kind !== "ident") {
      throw new MarkerError(
        `expected an argument name, got "${name.text}"`,
        name.start,
        describeNames(names),
      );
    }
    const argument = Object.hasOwn(definition.arguments, name.text)
      ? definition.arguments[name.text]
      : undefined;
    if (!argument) {
      const meant = didYouMean(name.text, names);
      const hint = meant ? `did you mean "${meant}"?` : describeNames(names);
      throw new MarkerError(`+${definition.name} has no argument "${name.text}"`, name.start, hint);
    }
    if (Object.hasOwn(args, name.text)) {
      throw new MarkerError(`the argument "${name.text}" is given twice`, name.start, "keep one of them");
    }
    expect(scanner, "=");
    args[name.text] = parseValue(scanner, argument);
    if (scanner.peekNoSpace() === "") break;
    expectComma(scanner, args, name.text);
  }
  const missing = names.filter((name) => !definition.arguments[name]!.optional && !Object.hasOwn(args, name));
  if (missing.length > 0) {
    const quoted = missing.map((name) => `"${name}"`);
    const message = `+${definition.name} is missing the argument ${listWords(quoted, "and")}`;
    throw new MarkerError(message, text.length, `add ${missing.map((name) => `${name}=…`).join(",")}`);
  }
  return args;
}

function expectComma(scanner: Scanner, args: Record<string, unknown>, last: string): void {
  const token = scanner.scan();
  if (token.text === ",") return;
  const hint =
    typeof args[last] === "string"
      ? "put a value that contains , ; or } in double quotes or backticks"
      : undefined;
  throw new MarkerError(`expected "," between arguments, got "${token.text}"`, token.start, hint);
}

function expectEnd(scanner: Scanner, { type }: ArgumentType): void {
  const token = scanner.scan();
  if (token.kind === "end") return;
  const hint =
    type === "list" && token.text === ","
      ? "separate values with semicolons: a;b"
      : "put a value that contains , ; or } in double quotes or backticks";
  throw new MarkerError(`unexpected "${scanner.text.slice(token.start)}" after the value`, token.start, hint);
}

function describeNames(names: readonly string[]): string {
  return `its arguments are ${listWords(names, "and")}`;
}

/** Parses a value of a type at the scanner's position, and moves the scanner behind it. */
export function parseValue(scanner: Scanner, type: ArgumentType, inList = false): MarkerValue {
  switch (type.type) {
    case "string":
      return parseString(scanner, false);
    case "int":
    case "number":
      return parseNumber(scanner, type.type);
    case "bool":
      return parseBool(scanner);
    case "list":
      return parseList(scanner, type.item);
    case "map":
      return parseMap(scanner, type.item);
    case "any":
      return parseValue(scanner, guessType(scanner, !inList), inList);
    case "raw":
    case "json":
      return parseRest(scanner, type.type);
  }
}

/** Guesses the type of a value in controller-gen's order: quoted, braces, `a;b`, bool, number, bare string. */
function guessType(scanner: Scanner, listAllowed: boolean): ArgumentType {
  if (listAllowed) {
    const item = guessType(scanner, false);
    return hasSemicolonNext(scanner) ? { type: "list", item } : item;
  }
  const ahead = new Scanner(scanner.text, scanner.pos);
  const hint = ahead.peekNoSpace();
  if (hint === '"' || hint === "'" || hint === "`") return { type: "string" };
  if (hint === "{") return guessBraces(ahead);
  const first = ahead.scan();
  if (first.text === "true" || first.text === "false") return { type: "bool" };
  const number = first.text === "-" ? ahead.scan() : first;
  if (number.kind !== "int" && number.kind !== "float") return { type: "string" };
  // `100Mi` and `2024-01-15` start with a number but are strings.
  if (!["", ",", ";", "}"].includes(ahead.peekNoSpace())) return { type: "string" };
  return { type: number.kind === "int" ? "int" : "number" };
}

function hasSemicolonNext(scanner: Scanner): boolean {
  const ahead = new Scanner(scanner.text, scanner.pos);
  for (let token = ahead.scan(); ; token = ahead.scan()) {
    if (token.text === ";") return true;
    if (token.text === "," || token.kind === "end") return false;
  }
}

/** Guesses the type of braces: a map starts with a string and a colon, or is `{}`; everything else is a list. */
function guessBraces(ahead: Scanner): ArgumentType {
  ahead.scan();
  if (ahead.peekNoSpace() === "}") return { type: "map", item: { type: "any" } };
  const item = guessType(ahead, false);
  if (item.type === "string") {
    const key = ahead.scan(false);
    if (key.kind !== "string" && key.kind !== "raw") {
      while (!["", ",", ";", "}", ":"].includes(ahead.peekNoSpace())) ahead.scan(false);
    }
    if (ahead.scan().text === ":") return { type: "map", item: { type: "any" } };
  }
  return { type: "list", item };
}

/** Parses a string: quoted, or up to the next delimiter without surrounding whitespace. */
function parseString(scanner: Scanner, isKey: boolean): string {
  const first = scanner.scan(false);
  if (first.kind === "string" || first.kind === "raw") return unquote(first);
  if (first.kind === "error") throw new MarkerError("the quoted string is not terminated", first.start);
  const isDelimiter = (char: string): boolean =>
    ["", ",", ";", "}"].includes(char) || (isKey && char === ":");
  if (first.kind === "end" || isDelimiter(first.text)) {
    throw new MarkerError("expected a value", first.start, 'an empty string is written ""');
  }
  let { end } = first;
  while (!isDelimiter(scanner.peekNoSpace())) end = scanner.scan(false).end;
  return scanner.text.slice(first.start, end);
}

const escapes: Readonly<Record<string, string>> = { ...controlEscapes, "\\": "\\", '"': '"' };

/** The type of a token in a marker's value; `error` is a malformed number or string. */
type TokenKind = "ident" | "int" | "float" | "string" | "raw" | "char" | "error" | "end";

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Removes the quotes of a string: with Go's escapes in double quotes, without any in backticks. */
function unquote(token: Token): string {
  const inner = token.text.slice(1, -1);
  if (token.kind === "raw") return inner.replaceAll("\r", "");
  return inner.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gu,
    (escape, x?: string, u?: string, long?: string, octal?: string, simple?: string, at = 0) => {
      const hex = x ?? u ?? long;
      const code =
        hex !== undefined ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : undefined;
      if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code);
      const known = simple === undefined ? undefined : escapes[simple];
      if (known !== undefined) return known;
      const hint = "write \\\\ for a backslash, or put the string in backticks";
      throw new MarkerError(`"${escape}" is not a valid escape sequence`, token.start + 1 + at, hint);
    },
  );
}

function parseNumber(scanner: Scanner, type: "int" | "number"): number | bigint {
  const isNegative = scanner.peekNoSpace() === "-";
  if (isNegative) scanner.scan();
  const token = scanner.scan();
  const isNumber = token.kind === "int" || (token.kind === "float" && type === "number");
  const expected = type === "int" ? "an integer" : "an integer or float";
  if (!isNumber || /^0[xXbBoO]|_/u.test(token.text)) {
    throw new MarkerError(`expected ${expected}, got "${token.text}"`, token.start);
  }
  const value = readNumber(isNegative ? `-${token.text}` : token.text, type);
  if (value === undefined) throw new MarkerError(`${token.text} is too large`, token.start);
  return value;
}

function parseBool(scanner: Scanner): boolean {
  const token = scanner.scan();
  if (token.text === "true" || token.text === "false") return token.text === "true";
  throw new MarkerError(`expected true or false, got "${token.text}"`, token.start);
}

/** Parses a list: `{a,b}`, or the older form `a;b`. */
function parseList(scanner: Scanner, item: ArgumentType): MarkerValue[] {
  const items: MarkerValue[] = [];
  const isBraced = scanner.peekNoSpace() === "{";
  if (isBraced) scanner.scan();
  const isEnd = (char: string): boolean => char === "}" || char === "" || (!isBraced && char === ",");
  while (!isEnd(scanner.peekNoSpace())) {
    items.push(parseValue(scanner, item, true));
    if (isEnd(scanner.peekNoSpace())) break;
    expect(scanner, isBraced ? "," : ";");
  }
  if (isBraced) expect(scanner, "}");
  return items;
}

function parseMap(scanner: Scanner, item: ArgumentType): { [key: string]: MarkerValue } {
  expect(scanner, "{");
  const entries: [string, MarkerValue][] = [];
  while (scanner.peekNoSpace() !== "}" && scanner.peekNoSpace() !== "") {
    const key = parseString(scanner, true);
    expect(scanner, ":");
    entries.push([key, parseValue(scanner, item)]);
    if (scanner.peekNoSpace() === "}") break;
    expect(scanner, ",");
  }
  expect(scanner, "}");
  // Unlike assignments, this also makes a key named __proto__.
  return Object.fromEntries(entries);
}

function parseRest(scanner: Scanner, type: "raw" | "json"): MarkerValue {
  const start = scanner.pos;
  const rest = scanner.text.slice(start);
  scanner.pos = scanner.text.length;
  if (type === "raw") return rest;
  try {
    return readJson(rest);
  } catch {
    const message = `expected JSON, got "${rest.trim()}"`;
    throw new MarkerError(message, start, 'a string in JSON has double quotes: "a"');
  }
}

function expect(scanner: Scanner, char: string): void {
  const token = scanner.scan();
  if (token.text === char) return;
  const got = token.kind === "end" ? "the end" : `"${token.text}"`;
  throw new MarkerError(`expected "${char}", got ${got}`, token.start);
}

/** The limit of nested braces; no default or example of a resource comes near it. */
const maxDepth = 100;

/** Refuses a value in which braces are nested without end: reading it would exhaust the stack. */
function refuseDeepNesting(text: string): void {
  if (text.split("{", maxDepth + 2).length <= maxDepth + 1) return;
  const scanner = new Scanner(text);
  let depth = 0;
  for (let token = scanner.scan(false); token.kind !== "end"; token = scanner.scan(false)) {
    if (token.text === "}") depth--;
    else if (token.text === "{" && ++depth > maxDepth) {
      throw new MarkerError(`the value is nested more than ${maxDepth} times`, token.start, "nest it less");
    }
  }
}

/** An error in a marker's text, with its offset in the parsed text. */
export class MarkerError extends Error {
  override readonly name = "MarkerError";
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/**
 * Reads a decimal number: an integer beyond the safe range of JavaScript's numbers as a bigint. Undefined for a number that
 * Go has no value for: an integer beyond int64, or any number beyond float64.
 */
export function readNumber(text: string, type: "int" | "number"): number | bigint | undefined {
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  if (!/^[-+]?\d+$/u.test(text) || Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  const whole = BigInt(text.replace(/^\+/u, ""));
  return type === "int" && whole !== BigInt.asIntN(64, whole) ? undefined : whole;
}

/** Parses JSON. Throws a SyntaxError, also for a number that Go has no value for. */
export function readJson(text: string): MarkerValue {
  // JSON.parse() would round long integers: they become strings that begin with "#", all other strings begin with "=".
  const marked = text.replaceAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*/gu, (token, string, colon) => {
    if (string !== undefined) return colon === undefined ? `"=${token.slice(1)}` : token;
    return /^-?[1-9]\d{15,}$/u.test(token) ? `"#${token}"` : token;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    const decoded =
      typeof value !== "string"
        ? value
        : value[0] === "="
          ? value.slice(1)
          : readNumber(value.slice(1), "int");
    if (decoded === undefined || decoded === Infinity || decoded === -Infinity) {
      throw new SyntaxError("the number is too large");
    }
    return decoded;
  }) as MarkerValue;
}

const identPattern = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const decimalPattern = /(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?/uy;
const prefixedNumberPattern = /0[xXbBoO][0-9a-fA-F_]*/uy;
const rawPattern = /`[^`]*`/uy;
const stringPattern = /"(?:[^"\\\n]|\\.)*"/uy;

/**
 * Scans the value of a marker like controller-gen: with Go's tokens. Hence a `//` in a value is not a comment, a single
 * quote is an ordinary character, and a comma in double quotes is not a separator.
 */
export class Scanner {
  readonly text: string;
  pos = 0;

  constructor(text: string, pos = 0) {
    this.text = text;
    this.pos = pos;
  }

  /** The next character after whitespace; empty at the end. */
  peekNoSpace(): string {
    this.skipSpace();
    return this.peek();
  }

  peek(): string {
    const code = this.text.codePointAt(this.pos);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  skipSpace(): void {
    while (/[ \t\r\n]/u.test(this.text[this.pos] ?? "x")) this.pos++;
  }

  /** Reads the next token. In bare strings, digits are plain characters, so that `10.x` is not a malformed number. */
  scan(withNumbers = true): Token {
    this.skipSpace();
    const start = this.pos;
    const token = (kind: TokenKind, end: number): Token => {
      this.pos = end;
      return { kind, text: this.text.slice(start, end), start, end };
    };
    const char = this.peek();
    if (char === "") return token("end", start);
    const ident = this.#match(identPattern);
    if (ident !== undefined) return token("ident", ident);
    if (withNumbers && /^\.?[0-9]/u.test(this.text.slice(start, start + 2))) return this.#scanNumber(token);
    if (char === '"') return this.#scanQuoted(stringPattern, "string", token);
    if (char === "`") return this.#scanQuoted(rawPattern, "raw", token);
    return token("char", start + char.length);
  }

  #scanNumber(token: (kind: TokenKind, end: number) => Token): Token {
    const prefixed = this.#match(prefixedNumberPattern);
    if (prefixed !== undefined) return token("int", prefixed);
    const end = this.#match(decimalPattern) ?? this.pos + 1;
    const text = this.text.slice(this.pos, end);
    if (/[.eE]/u.test(text)) return token("float", end);
    // After a leading zero, Go expects octal digits, without 8 and 9.
    return token(/^0[0-9_]*[89]/u.test(text) ? "error" : "int", end);
  }

  #scanQuoted(pattern: RegExp, kind: TokenKind, token: (kind: TokenKind, end: number) => Token): Token {
    const end = this.#match(pattern);
    return end === undefined ? token("error", this.text.length) : token(kind, end);
  }

  #match(pattern: RegExp): number | undefined {
    pattern.lastIndex = this.pos;
    return pattern.test(this.text) ? pattern.lastIndex : undefined;
  }
}
