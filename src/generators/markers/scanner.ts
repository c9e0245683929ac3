/** The type of a token in a marker's value; `error` is a malformed number or string. */
export type TokenKind = "ident" | "int" | "float" | "string" | "raw" | "char" | "error" | "end";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const identPattern = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const decimal = /(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?/uy;
const prefixedNumber = /0[xXbBoO][0-9a-fA-F_]*/uy;
const string = /"(?:[^"\\\n]|\\.)*"/uy;
const raw = /`[^`]*`/uy;

/**
 * Scans the value of a marker like controller-gen: with Go's tokens. Hence a `//` in a value is not a comment, a single
 * quote is an ordinary character, and a comma in double quotes is not a separator.
 */
export class Scanner {
  readonly text: string;
  pos = 0;

  constructor(text: string, pos = 0) {
    this.text = text;
    this.pos = pos;
  }

  /** The next character after whitespace; empty at the end. */
  peekNoSpace(): string {
    this.skipSpace();
    return this.peek();
  }

  peek(): string {
    const code = this.text.codePointAt(this.pos);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  skipSpace(): void {
    while (/[ \t\r\n]/u.test(this.text[this.pos] ?? "x")) this.pos++;
  }

  /** Reads the next token. In bare strings, digits are plain characters, so that `10.x` is not a malformed number. */
  scan(withNumbers = true): Token {
    this.skipSpace();
    const start = this.pos;
    const token = (kind: TokenKind, end: number): Token => {
      this.pos = end;
      return { kind, text: this.text.slice(start, end), start, end };
    };
    const char = this.peek();
    if (char === "") return token("end", start);
    const ident = this.#match(identPattern);
    if (ident !== undefined) return token("ident", ident);
    if (withNumbers && /^\.?[0-9]/u.test(this.text.slice(start, start + 2))) return this.#scanNumber(token);
    if (char === '"') return this.#scanQuoted(string, "string", token);
    if (char === "`") return this.#scanQuoted(raw, "raw", token);
    return token("char", start + char.length);
  }

  #scanNumber(token: (kind: TokenKind, end: number) => Token): Token {
    const prefixed = this.#match(prefixedNumber);
    if (prefixed !== undefined) return token("int", prefixed);
    const end = this.#match(decimal) ?? this.pos + 1;
    const text = this.text.slice(this.pos, end);
    if (/[.eE]/u.test(text)) return token("float", end);
    // After a leading zero, Go expects octal digits, without 8 and 9.
    return token(/^0[0-9_]*[89]/u.test(text) ? "error" : "int", end);
  }

  #scanQuoted(pattern: RegExp, kind: TokenKind, token: (kind: TokenKind, end: number) => Token): Token {
    const end = this.#match(pattern);
    return end === undefined ? token("error", this.text.length) : token(kind, end);
  }

  #match(pattern: RegExp): number | undefined {
    pattern.lastIndex = this.pos;
    return pattern.test(this.text) ? pattern.lastIndex : undefined;
  }
}
