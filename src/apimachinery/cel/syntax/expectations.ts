import type { Token, TokenKind } from "./token.ts";

/** The tokens that an expression may begin with, as messages list them. */
export const expressionStarts =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The tokens that an expression may begin with. */
export const expressionStart: ReadonlySet<TokenKind> = new Set([
  "[",
  "{",
  "(",
  ".",
  "-",
  "!",
  "true",
  "false",
  "null",
  "float",
  "int",
  "uint",
  "string",
  "bytes",
  "ident",
]);

/** The tokens that may name a field. */
export const fieldStart: ReadonlySet<TokenKind> = new Set(["ident", "quoted"]);

/** The tokens that may stand behind a member, where parsing can go on after an error. */
export const followsMember: ReadonlySet<TokenKind> = new Set([
  "eof",
  ".",
  "[",
  "]",
  ")",
  "}",
  ",",
  "?",
  ":",
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "+",
  "-",
  "*",
  "/",
  "%",
  "&&",
  "||",
]);

/** A token as messages quote it, with its line breaks shown. */
export function quoteToken(token: Token): string {
  return `'${token.text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}'`;
}
