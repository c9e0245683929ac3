/** What a token is; punctuation and keywords are their own kind. */
export type TokenKind =
  | "ident"
  | "quoted"
  | "int"
  | "uint"
  | "float"
  | "string"
  | "bytes"
  | "true"
  | "false"
  | "null"
  | "in"
  | "eof"
  | Punctuation;

/** The operators and delimiters. */
type Punctuation = (typeof punctuation)[number];

/** Longer ones first: the lexer takes the first that fits. */
export const punctuation = [
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "<",
  ">",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
] as const;

/** A piece of the source. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly pos: number;
}

/** Words that no variable may have, so that the language can grow. */
export const reservedWords: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "false",
  "for",
  "function",
  "if",
  "import",
  "in",
  "let",
  "loop",
  "package",
  "namespace",
  "null",
  "return",
  "true",
  "var",
  "void",
  "while",
]);
