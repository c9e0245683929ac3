import { type Call, type Expr, type MapEntry, type StructExpr, call, literal, operators } from "../ast.ts";
import { CelSyntaxError, type Issue } from "./issue.ts";
import { expandMacro } from "./macros.ts";
import { type Token, type TokenKind, punctuation, reservedWords } from "./token.ts";
import { controlEscapes } from "../../text/index.ts";
import { CelDouble, CelUint, type Value, maxInt, maxUint, toInt } from "../values/value.ts";

/** The API server's limit of an expression, in code points. */
const maxLength = 100_000;

/**
 * Parses an expression and expands its macros; without them, `has` is a function as any other. Throws `CelSyntaxError`
 * only.
 */
export function parse(source: string, { macros = true } = {}): Expr {
  const issues: Issue[] = [];
  let expr: Expr | undefined;
  if (source.length > maxLength && Array.from(source).length > maxLength) {
    const message = `expression code point size exceeds limit: size: ${Array.from(source).length}, limit ${maxLength}`;
    throw new CelSyntaxError(source, [{ pos: -1, message }]);
  }
  try {
    expr = new Parser(source, issues, macros).parse();
  } catch (error) {
    if (!(error instanceof ParseAbortedError)) throw error;
  }
  if (issues.length > 0 || !expr) throw new CelSyntaxError(source, issues);
  return expr;
}

/** Ends parsing if recovery is not possible; the issue has been reported. */
class ParseAbortedError extends Error {}

/** The tokens with which an expression may start, as in messages. */
const expressionStartText =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The tokens with which an expression may start. */
const expressionStart = new Set("[ { ( . - ! true false null float int uint string bytes ident".split(" "));

/** The tokens that may follow the opening parenthesis of arguments, as in messages. */
const argumentStartText = expressionStartText.replace("'(', ", "'(', ')', ");

/** The tokens that may follow the opening parenthesis of arguments. */
const argumentStart: ReadonlySet<string> = new Set([...expressionStart, ")"]);

/** The tokens that may be a field name. */
const fieldStart: ReadonlySet<string> = new Set(["ident", "quoted"]);

/** The limit of cel-go's parser for nested expressions and for chains of operators. */
const maxDepth = 250;
const relations: ReadonlySet<TokenKind> = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);
const products: ReadonlySet<TokenKind> = new Set(["*", "/", "%"]);
const sums: ReadonlySet<TokenKind> = new Set(["+", "-"]);
const literals: ReadonlySet<TokenKind> = new Set(["int", "uint", "float", "string", "bytes"]);

/** A recursive-descent parser, with a method for each level of precedence. */
class Parser {
  readonly #tokens: TokenStream;
  readonly #macros: boolean;
  #depth = 0;

  constructor(source: string, issues: Issue[], macros: boolean) {
    this.#tokens = new TokenStream(source, issues);
    this.#macros = macros;
  }

  parse(): Expr {
    const expr = this.#expression();
    if (this.#tokens.peek().kind !== "eof") this.#tokens.unexpected("<EOF>", new Set(["eof"]));
    return expr;
  }

  #expression(): Expr {
    return this.#nested(() => {
      const condition = this.#disjunction();
      const mark = this.#tokens.accept("?");
      if (!mark) return condition;
      const whenTrue = this.#disjunction();
      this.#tokens.expect(":");
      const whenFalse = this.#expression();
      return call(mark.pos, operators.conditional, [condition, whenTrue, whenFalse]);
    });
  }

  #disjunction(): Expr {
    return this.#logical("||", operators.or, () =>
      this.#logical("&&", operators.and, () => this.#relation()),
    );
  }

  /** Chains become balanced trees, so that a thousand operands are not nested a thousand levels deep. */
  #logical(kind: TokenKind, name: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const operatorPositions: number[] = [];
    for (let token = this.#tokens.accept(kind); token; token = this.#tokens.accept(kind)) {
      operatorPositions.push(token.pos);
      terms.push(operand());
    }
    const balance = (low: number, high: number): Expr => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? terms[middle]! : balance(low, middle - 1);
      const right = middle === high ? terms[middle + 1]! : balance(middle + 1, high);
      return call(operatorPositions[middle]!, name, [left, right]);
    };
    return terms.length === 1 ? terms[0]! : balance(0, operatorPositions.length - 1);
  }

  #relation(): Expr {
    return this.#leftAssociative(relations, () =>
      this.#leftAssociative(sums, () => this.#leftAssociative(products, () => this.#unary())),
    );
  }

  #leftAssociative(kinds: ReadonlySet<TokenKind>, operand: () => Expr): Expr {
    let left = operand();
    // The first operand is nested deepest: `a.b == c` is deeper than `a == b`.
    const first = left.kind === "ident" || left.kind === "literal" ? 0 : 1;
    for (let length = first; kinds.has(this.#tokens.peek().kind); length++) {
      if (length >= maxDepth) this.#tooDeep();
      const token = this.#tokens.next();
      const name = token.kind === "in" ? operators.in : `_${token.text}_`;
      left = call(token.pos, name, [left, operand()]);
    }
    return left;
  }

  #unary(): Expr {
    const token = this.#tokens.peek();
    if (token.kind !== "!" && token.kind !== "-") return this.#member();
    let count = 0;
    while (this.#tokens.accept(token.kind)) count++;
    const first = this.#tokens.peek();
    const isNumber = token.kind === "-" && (first.kind === "int" || first.kind === "float");
    // `--1` is the negation of the literal -1: the sign before a number is part of it.
    if (isNumber) count--;
    const operand = isNumber ? this.#member({ pos: first.pos - 1 }) : this.#member();
    if (count % 2 === 0) return operand;
    return call(token.pos, token.kind === "!" ? operators.not : operators.negate, [operand]);
  }

  /** Parses a primary expression and its selections; `minus` is the sign before it, which is part of a number. */
  #member(minus?: { pos: number }): Expr {
    let expr = this.#primary(minus);
    for (let length = 0; ; length++) {
      if (length >= maxDepth) this.#tooDeep();
      const token = this.#tokens.peek();
      if (token.kind === ".") expr = this.#selection(expr);
      else if (token.kind === "[") expr = this.#subscript(expr);
      else return expr;
    }
  }

  #selection(operand: Expr): Expr {
    const dot = this.#tokens.next();
    const optional = this.#tokens.accept("?") !== undefined;
    if (!fieldStart.has(this.#tokens.peek().kind)) {
      this.#tokens.skipNoField();
      return operand;
    }
    const name = this.#tokens.next();
    if (name.kind === "quoted") this.#tokens.report(name.pos, "unsupported syntax: '`'");
    if (optional) return call(dot.pos, operators.optionalSelect, [operand, literal(name.pos, name.text)]);
    const open = this.#tokens.peek();
    if (open.kind !== "(") return { kind: "select", pos: dot.pos, operand, field: name.text, test: false };
    const args = this.#arguments();
    return this.#expand({ kind: "call", pos: open.pos, name: name.text, target: operand, args });
  }

  #subscript(operand: Expr): Expr {
    const open = this.#tokens.next();
    const optional = this.#tokens.accept("?") !== undefined;
    const index = this.#expression();
    this.#tokens.expect("]");
    return call(open.pos, optional ? operators.optionalIndex : operators.index, [operand, index]);
  }

  #primary(minus?: { pos: number }): Expr {
    const token = this.#tokens.peek();
    if (literals.has(token.kind)) return this.#literal(minus);
    switch (token.kind) {
      case "true":
      case "false":
        this.#tokens.next();
        return literal(token.pos, token.kind === "true");
      case "null":
        this.#tokens.next();
        return literal(token.pos, null);
      case "(": {
        this.#tokens.next();
        const inner = this.#expression();
        this.#tokens.expect(")");
        return inner;
      }
      case "[":
        return this.#list();
      case "{":
        return this.#map();
      case ".":
      case "ident":
        return this.#name();
      default:
        this.#tokens.unexpected(expressionStartText, expressionStart);
        return this.#primary(minus);
    }
  }

  #literal(minus?: { pos: number }): Expr {
    const token = this.#tokens.next();
    const parsed = parseLiteral(token, minus !== undefined);
    if ("value" in parsed) return literal(minus?.pos ?? token.pos, parsed.value);
    this.#tokens.report(minus?.pos ?? token.pos, parsed.error);
    return literal(token.pos, null);
  }

  #list(): Expr {
    const open = this.#tokens.next();
    const items: Expr[] = [];
    const optional = new Set<number>();
    while (this.#tokens.peek().kind !== "]") {
      if (this.#tokens.accept("?")) optional.add(items.length);
      items.push(this.#expression());
      if (!this.#tokens.accept(",")) break;
    }
    this.#tokens.expect("]", "{']', ','}");
    return { kind: "list", pos: open.pos, items, optional };
  }

  #map(): Expr {
    const open = this.#tokens.next();
    const entries: MapEntry[] = [];
    while (this.#tokens.peek().kind !== "}") {
      const optional = this.#tokens.accept("?") !== undefined;
      const key = this.#expression();
      this.#tokens.expect(":");
      entries.push({ key, value: this.#expression(), optional });
      if (!this.#tokens.accept(",")) break;
    }
    this.#tokens.expect("}", "{'}', ','}");
    return { kind: "map", pos: open.pos, entries };
  }

  /** A variable, a function call or a struct literal, depending on the token after the name. */
  #name(): Expr {
    const dot = this.#tokens.accept(".");
    const token = this.#tokens.peek();
    if (token.kind !== "ident") this.#tokens.unexpected("IDENTIFIER", new Set(["ident"]));
    const length = this.#structNameLength();
    if (length > 0) return this.#struct(dot !== undefined, length);
    this.#tokens.next();
    if (reservedWords.has(token.text))
      this.#tokens.report(dot?.pos ?? token.pos, `reserved identifier: ${token.text}`);
    const name = dot ? `.${token.text}` : token.text;
    const open = this.#tokens.peek();
    if (open.kind !== "(") return { kind: "ident", pos: token.pos, name };
    return this.#expand({ kind: "call", pos: open.pos, name, args: this.#arguments() });
  }

  /** The number of tokens in the name of a struct literal, `a.b.C` before a brace; 0 if it is not one. */
  #structNameLength(): number {
    let length = 1;
    while (this.#tokens.peek(length).kind === "." && this.#tokens.peek(length + 1).kind === "ident")
      length += 2;
    return this.#tokens.peek(length).kind === "{" ? length : 0;
  }

  #struct(absolute: boolean, length: number): Expr {
    let name = absolute ? "." : "";
    for (let index = 0; index < length; index++) name += this.#tokens.next().text;
    const open = this.#tokens.next();
    const fields: StructExpr["fields"][number][] = [];
    while (this.#tokens.peek().kind !== "}") {
      const optional = this.#tokens.accept("?") !== undefined;
      const field = this.#tokens.peek();
      if (field.kind !== "ident" && field.kind !== "quoted")
        this.#tokens.unexpected("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}", fieldStart);
      const { text } = this.#tokens.next();
      if (field.kind === "quoted") this.#tokens.report(field.pos, "unsupported syntax: '`'");
      const colon = this.#tokens.expect(":");
      fields.push({ name: text, pos: colon.pos, value: this.#expression(), optional });
      if (!this.#tokens.accept(",")) break;
    }
    this.#tokens.expect("}");
    return { kind: "struct", pos: open.pos, name, fields };
  }

  #arguments(): Expr[] {
    this.#tokens.expect("(");
    const args: Expr[] = [];
    if (!argumentStart.has(this.#tokens.peek().kind))
      this.#tokens.unexpected(argumentStartText, argumentStart);
    if (this.#tokens.accept(")")) return args;
    do args.push(this.#expression());
    while (this.#tokens.accept(","));
    this.#tokens.expect(")", "{')', ','}");
    return args;
  }

  #expand(expr: Call): Expr {
    if (!this.#macros) return expr;
    return expandMacro(expr, (pos, message) => this.#tokens.report(pos, message)) ?? expr;
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > maxDepth) this.#tooDeep();
    const result = parse();
    this.#depth--;
    return result;
  }

  #tooDeep(): never {
    return this.#tokens.giveUp(-1, `expression recursion limit exceeded: ${maxDepth}`);
  }
}

/** Returns the value of a literal token, or an error. A minus sign is part of the number. */
function parseLiteral(token: Token, negative: boolean): { value: Value } | { error: string } {
  const { text } = token;
  switch (token.kind) {
    case "int": {
      const value = negative ? -BigInt(text) : BigInt(text);
      return value > maxInt || value < -maxInt - 1n
        ? { error: "invalid int literal" }
        : { value: toInt(value) };
    }
    case "uint": {
      const value = BigInt(text.slice(0, -1));
      return value > maxUint ? { error: "invalid uint literal" } : { value: new CelUint(value) };
    }
    case "float": {
      const value = Number(text) * (negative ? -1 : 1);
      return Number.isFinite(value) ? { value: new CelDouble(value) } : { error: "invalid double literal" };
    }
    default:
      return parseText(token);
  }
}

function parseText({ kind, text }: Token): { value: Value } | { error: string } {
  const prefix = /^[bBrR]*/.exec(text)![0];
  const quoted = text.slice(prefix.length);
  const size = /^(?:"""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  const content = quoted.slice(size, -size).replaceAll(/\r\n?/g, "\n");
  const raw = /[rR]/.test(prefix);
  if (kind === "bytes") return { value: raw ? encode(content) : unescapeBytes(content) };
  return raw ? { value: content } : unescapeText(content);
}

const escapes =
  /\\(?:([abfnrtv"'\\?`])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xX]([0-9a-fA-F]{2})|([0-3][0-7]{2}))/g;

/** In a string, every escape is a character. */
function unescapeText(content: string): { value: Value } | { error: string } {
  let isValid = true;
  const value = content.replaceAll(escapes, (_, char, short, long, hex, octal) => {
    if (char !== undefined) return controlEscapes[char as string] ?? (char as string);
    const code =
      octal === undefined
        ? Number.parseInt((short ?? long ?? hex) as string, 16)
        : Number.parseInt(octal as string, 8);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      isValid = false;
      return "";
    }
    return String.fromCodePoint(code);
  });
  return isValid ? { value } : { error: "invalid unicode code point" };
}

/** In bytes, hexadecimal and octal escapes are bytes; other characters are encoded as UTF-8. */
function unescapeBytes(content: string): Uint8Array {
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const match of content.matchAll(escapes)) {
    parts.push(encode(content.slice(last, match.index)));
    const [, char, short, long, hex, octal] = match;
    if (hex !== undefined) parts.push(Uint8Array.of(Number.parseInt(hex, 16)));
    else if (octal !== undefined) parts.push(Uint8Array.of(Number.parseInt(octal, 8)));
    else if (char !== undefined) parts.push(encode(controlEscapes[char] ?? char));
    else parts.push(encode(String.fromCodePoint(Number.parseInt((short ?? long)!, 16))));
    last = match.index + match[0].length;
  }
  parts.push(encode(content.slice(last)));
  return new Uint8Array(Buffer.concat(parts));
}

function encode(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text));
}

/** The tokens that may follow a member, from which parsing can continue after an error. */
const followsMember = new Set("eof . [ ] ) } , ? : == != < <= > >= in + - * / % && ||".split(" "));

/** The tokens of a source, and the position of the next one. Unexpected tokens are reported in ANTLR's words, as in cel-go. */
class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  #index = 0;

  constructor(source: string, issues: Issue[]) {
    this.#issues = issues;
    this.#tokens = tokenize(source, issues);
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)]!;
  }

  next(): Token {
    const token = this.peek();
    this.#index++;
    return token;
  }

  accept(kind: TokenKind): Token | undefined {
    return this.peek().kind === kind ? this.next() : undefined;
  }

  expect(kind: TokenKind, expected = `'${kind}'`): Token {
    if (this.peek().kind !== kind) this.unexpected(expected, new Set([kind]));
    return this.next();
  }

  /** Reports an unexpected token; skips it if the next one is acceptable, else ends parsing. */
  unexpected(expected: string, acceptable: ReadonlySet<string>): void {
    const token = this.peek();
    const canSkip = token.kind !== "eof" && acceptable.has(this.peek(1).kind);
    const kind = canSkip ? "extraneous" : "mismatched";
    const message = `Syntax error: ${kind} input ${quoteToken(token)} expecting ${expected}`;
    if (!canSkip) this.giveUp(token.pos, message);
    this.report(token.pos, message);
    this.next();
  }

  /** Reports a missing field name after a dot, and continues with the next token that may follow one. */
  skipNoField(): void {
    const token = this.peek();
    if (token.kind === "true" || token.kind === "false" || token.kind === "null") {
      this.giveUp(token.pos, `Syntax error: mismatched input '${token.text}' expecting IDENTIFIER`);
    }
    const text = token.kind === "eof" ? "" : token.text;
    this.report(token.pos, `Syntax error: no viable alternative at input '.${text}'`);
    while (!followsMember.has(this.peek().kind)) this.next();
  }

  report(pos: number, message: string): void {
    this.#issues.push({ pos, message });
  }

  giveUp(pos: number, message: string): never {
    this.report(pos, message);
    throw new ParseAbortedError();
  }
}

/** Quotes a token as in messages, with escaped line breaks. */
function quoteToken(token: Token): string {
  return `'${token.text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}'`;
}

const blank = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;

/** Splits a source into tokens; skips invalid text and reports it as an issue. */
function tokenize(source: string, issues: Issue[]): Token[] {
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
      const invalid = invalidText(source, pos);
      issues.push({ pos, message: `Syntax error: token recognition error at: '${invalid}'` });
      pos += invalid.length;
    }
  }
  tokens.push({ kind: "eof", text: "<EOF>", pos: source.length });
  return tokens;
}

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

const stringStart = /["'bBrR]/;
const numberStart = /[.\d]/;

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

const partialString = new RegExp(`(["'])(?:${escape}|(?!\\1)[^\\\\\\n\\r])*(?:\\\\.?)?`, "y");

/** Returns text that is not a token: an unterminated string, half an operator and the next character, or a character. */
function invalidText(source: string, pos: number): string {
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
