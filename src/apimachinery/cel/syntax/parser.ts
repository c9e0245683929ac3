import { type Call, type Expr, type Literal, type MapEntry, operators, type StructExpr } from "../ast.ts";
import { CelSyntaxError, type Issue } from "./issue.ts";
import { tokenize } from "./lexer.ts";
import { parseLiteral } from "./literal.ts";
import { expandMacro } from "./macros.ts";
import { expressionStart, expressionStarts, fieldStart, quoteToken } from "./expectations.ts";
import { reservedWords, type Token, type TokenKind } from "./token.ts";

/** Thrown to leave the parser where no sense can be made of the rest; the issue is recorded already. */
class GaveUp extends Error {}

const maxDepth = 250;
const maxLength = 100_000;

/** Parses an expression and expands its macros. Throws `CelSyntaxError`, and nothing else. */
export function parse(source: string): Expr {
  const issues: Issue[] = [];
  let expr: Expr | undefined;
  if (source.length > maxLength && Array.from(source).length > maxLength) {
    const message = `expression code point size exceeds limit: size: ${Array.from(source).length}, limit ${maxLength}`;
    throw new CelSyntaxError(source, [{ pos: -1, message }]);
  }
  try {
    expr = new Parser(source, issues).parse();
  } catch (error) {
    if (!(error instanceof GaveUp)) throw error;
  }
  if (issues.length > 0 || !expr) throw new CelSyntaxError(source, issues);
  return expr;
}

const relations: ReadonlySet<TokenKind> = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);
const products: ReadonlySet<TokenKind> = new Set(["*", "/", "%"]);
const sums: ReadonlySet<TokenKind> = new Set(["+", "-"]);
const literals: ReadonlySet<TokenKind> = new Set(["int", "uint", "float", "string", "bytes"]);

class Parser {
  readonly #tokens: Token[];
  readonly #issues: Issue[];
  #index = 0;
  #depth = 0;

  constructor(source: string, issues: Issue[]) {
    this.#issues = issues;
    this.#tokens = tokenize(source, issues);
  }

  parse(): Expr {
    const expr = this.#expression();
    if (this.#peek().kind !== "eof") this.#unexpected("<EOF>", new Set(["eof"]));
    return expr;
  }

  #expression(): Expr {
    return this.#nested(() => {
      const condition = this.#disjunction();
      const mark = this.#accept("?");
      if (!mark) return condition;
      const whenTrue = this.#disjunction();
      this.#expect(":");
      const whenFalse = this.#expression();
      return call(mark.pos, operators.conditional, [condition, whenTrue, whenFalse]);
    });
  }

  #disjunction(): Expr {
    return this.#logical("||", operators.or, () =>
      this.#logical("&&", operators.and, () => this.#relation()),
    );
  }

  /** Chains become balanced trees, so that a thousand alternatives don't nest a thousand deep. */
  #logical(kind: TokenKind, name: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const places: number[] = [];
    for (let token = this.#accept(kind); token; token = this.#accept(kind)) {
      places.push(token.pos);
      terms.push(operand());
    }
    const balance = (low: number, high: number): Expr => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? terms[middle]! : balance(low, middle - 1);
      const right = middle === high ? terms[middle + 1]! : balance(middle + 1, high);
      return call(places[middle]!, name, [left, right]);
    };
    return terms.length === 1 ? terms[0]! : balance(0, places.length - 1);
  }

  #relation(): Expr {
    return this.#leftAssociative(relations, () =>
      this.#leftAssociative(sums, () => this.#leftAssociative(products, () => this.#unary())),
    );
  }

  #leftAssociative(kinds: ReadonlySet<TokenKind>, operand: () => Expr): Expr {
    let left = operand();
    for (let length = 0; kinds.has(this.#peek().kind); length++) {
      if (length >= maxDepth) this.#tooDeep();
      const token = this.#next();
      const name = token.kind === "in" ? operators.in : `_${token.text}_`;
      left = call(token.pos, name, [left, operand()]);
    }
    return left;
  }

  #unary(): Expr {
    const token = this.#peek();
    if (token.kind !== "!" && token.kind !== "-") return this.#member();
    let count = 0;
    while (this.#accept(token.kind)) count++;
    const first = this.#peek();
    const isNumber = token.kind === "-" && (first.kind === "int" || first.kind === "float");
    // `--1` is the negation of the literal -1: the sign next to a number belongs to it.
    if (isNumber) count--;
    const operand = isNumber ? this.#member({ negative: true, pos: first.pos - 1 }) : this.#member();
    if (count % 2 === 0) return operand;
    return call(token.pos, token.kind === "!" ? operators.not : operators.negate, [operand]);
  }

  #member(sign?: { negative: true; pos: number }): Expr {
    let expr = this.#primary(sign);
    for (let length = 0; ; length++) {
      if (length >= maxDepth) this.#tooDeep();
      const token = this.#peek();
      if (token.kind === ".") expr = this.#selection(expr);
      else if (token.kind === "[") expr = this.#subscript(expr);
      else return expr;
    }
  }

  #selection(operand: Expr): Expr {
    const dot = this.#next();
    const optional = this.#accept("?") !== undefined;
    const name = this.#peek();
    if (name.kind !== "ident" && name.kind !== "quoted") this.#unexpected("IDENTIFIER", fieldStart);
    this.#next();
    if (name.kind === "quoted") this.#report(name.pos, "unsupported syntax: '`'");
    if (optional) return call(dot.pos, operators.optionalSelect, [operand, literal(name.pos, name.text)]);
    const open = this.#peek();
    if (open.kind !== "(") return { kind: "select", pos: dot.pos, operand, field: name.text, test: false };
    const args = this.#arguments();
    return this.#expand({ kind: "call", pos: open.pos, name: name.text, target: operand, args });
  }

  #subscript(operand: Expr): Expr {
    const open = this.#next();
    const optional = this.#accept("?") !== undefined;
    const index = this.#expression();
    this.#expect("]");
    return call(open.pos, optional ? operators.optionalIndex : operators.index, [operand, index]);
  }

  #primary(sign?: { negative: true; pos: number }): Expr {
    const token = this.#peek();
    if (literals.has(token.kind)) return this.#literal(sign);
    switch (token.kind) {
      case "true":
      case "false":
        this.#next();
        return literal(token.pos, token.kind === "true");
      case "null":
        this.#next();
        return literal(token.pos, null);
      case "(": {
        this.#next();
        const inner = this.#expression();
        this.#expect(")");
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
        this.#unexpected(expressionStarts, expressionStart);
        return this.#primary(sign);
    }
  }

  #literal(sign?: { negative: true; pos: number }): Expr {
    const token = this.#next();
    const parsed = parseLiteral(token, sign !== undefined);
    if ("value" in parsed) return literal(sign?.pos ?? token.pos, parsed.value);
    this.#report(sign?.pos ?? token.pos, parsed.fault);
    return literal(token.pos, null);
  }

  #list(): Expr {
    const open = this.#next();
    const items: Expr[] = [];
    const optional = new Set<number>();
    while (this.#peek().kind !== "]") {
      if (this.#accept("?")) optional.add(items.length);
      items.push(this.#expression());
      if (!this.#accept(",")) break;
    }
    this.#expect("]");
    return { kind: "list", pos: open.pos, items, optional };
  }

  #map(): Expr {
    const open = this.#next();
    const entries: MapEntry[] = [];
    while (this.#peek().kind !== "}") {
      const optional = this.#accept("?") !== undefined;
      const key = this.#expression();
      this.#expect(":");
      entries.push({ key, value: this.#expression(), optional });
      if (!this.#accept(",")) break;
    }
    this.#expect("}");
    return { kind: "map", pos: open.pos, entries };
  }

  /** A variable, a function call, or a message: what a name is shows behind it. */
  #name(): Expr {
    const dot = this.#accept(".");
    const token = this.#peek();
    if (token.kind !== "ident") this.#unexpected("IDENTIFIER", new Set(["ident"]));
    const length = this.#messageNameLength();
    if (length > 0) return this.#message(dot !== undefined, length);
    this.#next();
    if (reservedWords.has(token.text))
      this.#report(dot?.pos ?? token.pos, `reserved identifier: ${token.text}`);
    const name = dot ? `.${token.text}` : token.text;
    const open = this.#peek();
    if (open.kind !== "(") return { kind: "ident", pos: token.pos, name };
    return this.#expand({ kind: "call", pos: open.pos, name, args: this.#arguments() });
  }

  /** How many tokens the name of a message has, `a.b.C` before a brace; 0 where no message stands. */
  #messageNameLength(): number {
    let length = 1;
    while (this.#peek(length).kind === "." && this.#peek(length + 1).kind === "ident") length += 2;
    return this.#peek(length).kind === "{" ? length : 0;
  }

  #message(absolute: boolean, length: number): Expr {
    let name = absolute ? "." : "";
    for (let index = 0; index < length; index++) name += this.#next().text;
    const open = this.#next();
    const fields: StructExpr["fields"][number][] = [];
    while (this.#peek().kind !== "}") {
      const optional = this.#accept("?") !== undefined;
      const field = this.#peek();
      if (field.kind !== "ident" && field.kind !== "quoted")
        this.#unexpected("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}", fieldStart);
      const { text } = this.#next();
      if (field.kind === "quoted") this.#report(field.pos, "unsupported syntax: '`'");
      const colon = this.#expect(":");
      fields.push({ name: text, pos: colon.pos, value: this.#expression(), optional });
      if (!this.#accept(",")) break;
    }
    this.#expect("}");
    return { kind: "struct", pos: open.pos, name, fields };
  }

  #arguments(): Expr[] {
    this.#expect("(");
    const args: Expr[] = [];
    if (this.#accept(")")) return args;
    do args.push(this.#expression());
    while (this.#accept(","));
    this.#expect(")");
    return args;
  }

  #expand(expr: Call): Expr {
    return expandMacro(expr, (pos, message) => this.#report(pos, message)) ?? expr;
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > maxDepth) this.#tooDeep();
    const result = parse();
    this.#depth--;
    return result;
  }

  #tooDeep(): never {
    this.#report(-1, `expression recursion limit exceeded: ${maxDepth}`);
    throw new GaveUp();
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)]!;
  }

  #next(): Token {
    const token = this.#peek();
    this.#index++;
    return token;
  }

  #accept(kind: TokenKind): Token | undefined {
    return this.#peek().kind === kind ? this.#next() : undefined;
  }

  #expect(kind: TokenKind): Token {
    if (this.#peek().kind !== kind) this.#unexpected(`'${kind}'`, new Set([kind]));
    return this.#next();
  }

  /** Reports a token that does not fit; goes on behind it if the next one would, else gives up. */
  #unexpected(expected: string, fitting: ReadonlySet<TokenKind>): void {
    const token = this.#peek();
    const canSkip = token.kind !== "eof" && fitting.has(this.#peek(1).kind);
    const what = canSkip ? "extraneous" : "mismatched";
    this.#report(token.pos, `Syntax error: ${what} input ${quoteToken(token)} expecting ${expected}`);
    if (!canSkip) throw new GaveUp();
    this.#next();
  }

  #report(pos: number, message: string): void {
    this.#issues.push({ pos, message });
  }
}

function call(pos: number, name: string, args: readonly Expr[]): Call {
  return { kind: "call", pos, name, args };
}

function literal(pos: number, value: Literal["value"]): Literal {
  return { kind: "literal", pos, value };
}
