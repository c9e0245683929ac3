import { type Words, splitWords } from "../../text/text.ts";

/** The operators and separators, longest first: the lexer takes the first match. */
export const punctuation = splitWords("== != <= >= && || < > [ ] { } ( ) . , - ! ? : + * / %");

/** The kind of a token; for punctuation and keywords, the token itself. */
export type TokenKind =
  | Words<"ident quoted int uint float string bytes true false null in eof">
  | (typeof punctuation)[number];

/** A token, with its text in the source and its position there. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly pos: number;
}

/** The words that are not valid identifiers; a field with such a name is declared as `__in__`. */
export const reservedWords: ReadonlySet<string> = new Set(
  [
    "as break const continue else false for function if import in let loop package namespace null return true var",
    "void while",
  ].flatMap((words) => words.split(" ")),
);
