import type { Token, TokenKind } from "./token.ts";

/** The tokens with which an expression may start, as in messages. */
export const expressionStarts =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The tokens with which an expression may start. */
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

/** The tokens that may follow the opening parenthesis of arguments, as in messages. */
export const argumentStarts = expressionStarts.replace("'(', ", "'(', ')', ");

/** The tokens that may follow the opening parenthesis of arguments. */
export const argumentStart: ReadonlySet<TokenKind> = new Set([...expressionStart, ")"]);

/** The tokens that may be a field name. */
export const fieldStart: ReadonlySet<TokenKind> = new Set(["ident", "quoted"]);

/** The tokens that may follow a member, from which parsing can continue after an error. */
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

/** Quotes a token as in messages, with escaped line breaks. */
export function quoteToken(token: Token): string {
  return `'${token.text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}'`;
}
