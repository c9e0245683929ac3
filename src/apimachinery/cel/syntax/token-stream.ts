import { followsMember, quoteToken } from "./expectations.ts";
import type { Issue } from "./issue.ts";
import { tokenize } from "./lexer.ts";
import type { Token, TokenKind } from "./token.ts";

/** Thrown to leave the parser where no sense can be made of the rest; the issue is recorded already. */
export class GaveUpError extends Error {}

/** The tokens of a source, with a place in them. What does not fit is reported in ANTLR's words, as cel-go does. */
export class TokenStream {
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

  /** Reports a token that does not fit; goes on behind it if the next one would, else gives up. */
  unexpected(expected: string, fitting: ReadonlySet<TokenKind>): void {
    const token = this.peek();
    const canSkip = token.kind !== "eof" && fitting.has(this.peek(1).kind);
    const what = canSkip ? "extraneous" : "mismatched";
    const message = `Syntax error: ${what} input ${quoteToken(token)} expecting ${expected}`;
    if (!canSkip) this.giveUp(token.pos, message);
    this.report(token.pos, message);
    this.next();
  }

  /** Reports that no field's name stands behind a dot, and goes on with what may follow one. */
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
    throw new GaveUpError();
  }
}
