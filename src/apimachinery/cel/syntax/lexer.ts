import type { Issue } from "./issue.ts";
import { punctuation, type Token, type TokenKind } from "./token.ts";

const blank = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const quotedName = /`[A-Za-z0-9_.\-/ ]+`/y;
const float = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const integer = /(?:0x[0-9a-fA-F]+|\d+)[uU]?/y;
const escape = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[xX][0-9a-fA-F]{2}|[0-3][0-7]{2})`;
const strings = [
  new RegExp(`[bB]?[rR]"""[^]*?"""|[bB]?[rR]'''[^]*?'''`, "y"),
  new RegExp(`[bB]?"""(?:${escape}|[^\\\\])*?"""|[bB]?'''(?:${escape}|[^\\\\])*?'''`, "y"),
  new RegExp(`[bB]?[rR]"[^"\\n\\r]*"|[bB]?[rR]'[^'\\n\\r]*'`, "y"),
  new RegExp(`[bB]?"(?:${escape}|[^\\\\"\\n\\r])*"|[bB]?'(?:${escape}|[^\\\\'\\n\\r])*'`, "y"),
];
const partialString = new RegExp(`(["'])(?:${escape}|(?!\\1)[^\\\\\\n\\r])*(?:\\\\.?)?`, "y");

/** Splits a source into tokens; skips invalid text and reports it as an issue. */
export function tokenize(source: string, issues: Issue[]): Token[] {
  const tokens: Token[] = [];
  let pos = 0;
  while (pos < source.length) {
    const skipped = match(blank, source, pos);
    if (skipped !== undefined) {
      pos += skipped.length;
      continue;
    }
    const token = nextToken(source, pos);
    if (token) {
      tokens.push(token);
      pos += token.text.length;
    } else {
      const bad = unrecognized(source, pos);
      issues.push({ pos, message: `Syntax error: token recognition error at: '${bad}'` });
      pos += bad.length;
    }
  }
  tokens.push({ kind: "eof", text: "<EOF>", pos: source.length });
  return tokens;
}

function nextToken(source: string, pos: number): Token | undefined {
  const first = source[pos]!;
  if (stringStart.test(first)) {
    const text = matchFirst(strings, source, pos);
    if (text !== undefined) return { kind: /^[rR]?[bB]/.test(text) ? "bytes" : "string", text, pos };
  }
  const name = match(word, source, pos);
  if (name !== undefined) return { kind: wordKind(name), text: name, pos };
  if (numberStart.test(first)) {
    const fraction = match(float, source, pos);
    if (fraction !== undefined) return { kind: "float", text: fraction, pos };
    const whole = match(integer, source, pos);
    if (whole !== undefined) return { kind: /[uU]$/.test(whole) ? "uint" : "int", text: whole, pos };
  }
  const quoted = match(quotedName, source, pos);
  if (quoted !== undefined) return { kind: "quoted", text: quoted, pos };
  const symbol = punctuation.find((text) => source.startsWith(text, pos));
  return symbol === undefined ? undefined : { kind: symbol, text: symbol, pos };
}

const stringStart = /["'bBrR]/;
const numberStart = /[.\d]/;

function matchFirst(patterns: readonly RegExp[], source: string, pos: number): string | undefined {
  for (const pattern of patterns) {
    const text = match(pattern, source, pos);
    if (text !== undefined) return text;
  }
  return undefined;
}

function wordKind(name: string): TokenKind {
  return name === "true" || name === "false" || name === "null" || name === "in" ? name : "ident";
}

/** Reports an unterminated string up to its error, an incomplete operator with the next character. */
function unrecognized(source: string, pos: number): string {
  const partial = match(partialString, source, pos);
  if (partial !== undefined) return partial;
  const char = String.fromCodePoint(source.codePointAt(pos)!);
  const next = source.codePointAt(pos + char.length);
  const takesNext = "&|=".includes(char) && next !== undefined;
  return takesNext ? char + String.fromCodePoint(next) : char;
}

function match(pattern: RegExp, source: string, pos: number): string | undefined {
  pattern.lastIndex = pos;
  return pattern.exec(source)?.[0];
}
