import { followsMember, quoteToken } from "./expectations.ts";
import type { Issue } from "./issue.ts";
import { tokenize } from "./lexer.ts";
import type { Token, TokenKind } from "./token.ts";

/** Ends parsing if recovery is not possible; the issue has been reported. */
export class ParseAbortedError extends Error {}

/** The tokens of a source, with a position. Unexpected tokens are reported in ANTLR's words, as in cel-go. */
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

  /** Reports an unexpected token; skips it if the next one is expected, else ends parsing. */
  unexpected(expected: string, fitting: ReadonlySet<TokenKind>): void {
    const token = this.peek();
    const canSkip = token.kind !== "eof" && fitting.has(this.peek(1).kind);
    const what = canSkip ? "extraneous" : "mismatched";
    const message = `Syntax error: ${what} input ${quoteToken(token)} expecting ${expected}`;
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
