import type { ArgumentType, MarkerValue } from "./argument-type.ts";
import { guessType } from "./guess-type.ts";
import { MarkerError } from "./marker-error.ts";
import { readJson, readNumber } from "./read-number.ts";
import type { Scanner } from "./scanner.ts";
import { unquote } from "./unquote.ts";

/** Parses a value of the given type; the scanner is after it afterwards. */
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

/** A bare string ends at the next delimiter; surrounding whitespace is trimmed. */
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

/** `{a,b}`, or the older form `a;b`. */
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
    throw new MarkerError(
      `expected JSON, got "${rest.trim()}"`,
      start,
      'a string in JSON has double quotes: "a"',
    );
  }
}

/** Reads one expected character. */
export function expect(scanner: Scanner, char: string): void {
  const token = scanner.scan();
  if (token.text === char) return;
  const got = token.kind === "end" ? "the end" : `"${token.text}"`;
  throw new MarkerError(`expected "${char}", got ${got}`, token.start);
}
