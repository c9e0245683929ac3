// Reads the declarations of a Go file: types with their comments, constants, methods. Bodies of functions are skipped, and kept as
// tokens. Only what API types need is understood; any other type is `other`, with its source.

import { type GoCommentGroup, GoSyntaxError, type GoToken, scanGo } from "./scan.ts";
import type { GoComment } from "./model.ts";

/** A type as it is written. */
export type GoTypeSyntax =
  | { readonly kind: "name"; readonly qualifier: string | undefined; readonly name: string }
  | { readonly kind: "pointer" | "list"; readonly of: GoTypeSyntax }
  | { readonly kind: "map"; readonly key: GoTypeSyntax; readonly of: GoTypeSyntax }
  | { readonly kind: "struct"; readonly fields: readonly GoFieldSyntax[] }
  | { readonly kind: "other"; readonly source: string };

export interface GoFieldSyntax {
  /** Empty for an embedded field. */
  readonly names: readonly string[];
  readonly type: GoTypeSyntax;
  /** The text of its tag, without quotes. */
  readonly tag: string;
  readonly comments: readonly GoComment[];
  readonly line: number;
}

export interface GoTypeSpec {
  readonly name: string;
  readonly isAlias: boolean;
  readonly type: GoTypeSyntax;
  readonly comments: readonly GoComment[];
  readonly line: number;
}

/** A constant with the literal that it is, if it is one. */
export interface GoConstantSpec {
  readonly name: string;
  readonly type: string | undefined;
  readonly literal: string | undefined;
  readonly comments: readonly GoComment[];
  readonly line: number;
}

export interface GoFunction {
  readonly name: string;
  /** The type whose method it is. */
  readonly receiver: string | undefined;
  readonly tokens: readonly GoToken[];
  readonly line: number;
}

/** A parsed file. */
export interface GoFile {
  readonly packageName: string;
  /** Import paths, with the names that the file gives to them. */
  readonly imports: readonly { readonly path: string; readonly name: string | undefined }[];
  readonly types: readonly GoTypeSpec[];
  readonly constants: readonly GoConstantSpec[];
  readonly functions: readonly GoFunction[];
  /** The markers of all comments that belong to no type and to no field. */
  readonly markers: readonly GoMarker[];
}

export interface GoMarker {
  readonly text: string;
  readonly line: number;
}

/** Parses a file. Throws a `GoSyntaxError` if it is no Go. */
export function parseGo(text: string): GoFile {
  return new Parser(text).file();
}

/** Types nest less deep in every program; a hostile file may nest until the stack ends. */
const maxDepth = 100;

class Parser {
  readonly #text: string;
  readonly #tokens: readonly GoToken[];
  readonly #comments: readonly GoCommentGroup[];
  readonly #claimed = new Set<GoCommentGroup>();
  #at = 0;
  #depth = 0;
  #comment = 0;

  constructor(text: string) {
    this.#text = text;
    const { tokens, comments } = scanGo(text);
    this.#tokens = tokens;
    this.#comments = comments;
  }

  file(): GoFile {
    this.#expect("package");
    const packageName = this.#name();
    const imports: { path: string; name: string | undefined }[] = [];
    const types: GoTypeSpec[] = [];
    const constants: GoConstantSpec[] = [];
    const functions: GoFunction[] = [];
    const inner = new Set<GoCommentGroup>();
    let from = this.#lastEnd();
    this.#accept(";");
    while (this.#at < this.#tokens.length) {
      const { start, text: keyword } = this.#peek();
      const former = this.#comment;
      // controller-gen reads no markers in the documentation of values.
      const doc = keyword === "var" || keyword === "const" ? this.#docOf(this.#peek()) : undefined;
      if (doc !== undefined) inner.add(doc);
      if (keyword === "import") this.#group(from, () => imports.push(this.#import()));
      else if (keyword === "type")
        this.#group(from, (before, doc) => types.push(this.#typeSpec(before, doc)));
      else if (keyword === "const")
        this.#group(from, (before, doc) => constants.push(...this.#constants(before, doc)));
      else if (keyword === "func") functions.push(this.#function());
      else this.#skipStatement();
      from = this.#lastEnd();
      this.#passComments(from);
      for (const group of this.#comments.slice(former, this.#comment))
        if (group.start > start) inner.add(group);
      this.#accept(";");
    }
    const isFree = (group: GoCommentGroup): boolean => !this.#claimed.has(group) && !inner.has(group);
    const markers = this.#comments
      .filter(isFree)
      .flatMap(({ lines, startLine }) =>
        lines.flatMap((line, i) =>
          line.trim().startsWith("+") ? [{ text: line, line: startLine + i }] : [],
        ),
      );
    return { packageName, imports, types, constants, functions, markers };
  }

  /** Reads `type T …` or `type ( … )`; a specification gets where the one before it ended, and its documentation. */
  #group(from: number, read: (from: number, doc: GoCommentGroup | undefined) => void): void {
    const doc = this.#docOf(this.#next());
    if (!this.#accept("(")) {
      read(from, doc);
      return;
    }
    let before = this.#lastEnd();
    while (!this.#accept(")")) {
      read(before, this.#docOf(this.#peek()));
      before = this.#lastEnd();
      this.#accept(";");
    }
  }

  #import(): { path: string; name: string | undefined } {
    const name = this.#peek().kind === "string" ? undefined : this.#next().text;
    return { path: this.#next().text.slice(1, -1), name };
  }

  #typeSpec(from: number, doc: GoCommentGroup | undefined): GoTypeSpec {
    const { start, line } = this.#peek();
    const name = this.#name();
    const comments = this.#claim(from, start, doc);
    // `[` begins an array, or the parameters of a generic type.
    const isGeneric =
      this.#peek().text === "[" && this.#peek(1).kind === "name" && this.#peek(2).text !== "]";
    if (isGeneric) {
      this.#skipStatement();
      return { name, isAlias: false, type: { kind: "other", source: "a generic type" }, comments, line };
    }
    const isAlias = this.#accept("=");
    return { name, isAlias, type: this.#type(), comments, line };
  }

  #constants(from: number, doc: GoCommentGroup | undefined): GoConstantSpec[] {
    const { start, line } = this.#peek();
    const names = this.#names();
    const comments = this.#claim(from, start, doc, { isKept: false });
    const type = this.#peek().kind === "name" ? this.#peek().text : undefined;
    const first = this.#at;
    this.#skipStatement();
    const rest = this.#tokens.slice(first, this.#at);
    const equals = rest.findIndex(({ text }) => text === "=");
    const value = equals === -1 ? [] : rest.slice(equals + 1);
    const isLiteral =
      value.length === 1 && (value[0]!.kind !== "name" || /^(?:true|false)$/u.test(value[0]!.text));
    const literal = isLiteral && value[0]!.kind !== "symbol" ? value[0]!.text : undefined;
    return names.map((name) => ({
      name,
      type: equals === 1 ? type : undefined,
      literal: names.length === 1 ? literal : undefined,
      comments,
      line,
    }));
  }

  #function(): GoFunction {
    const { line } = this.#next();
    let receiver: string | undefined;
    if (this.#peek().text === "(") {
      const first = this.#at;
      this.#skipBrackets();
      const words = this.#tokens.slice(first, this.#at);
      const parameters = words.findIndex(({ text }) => text === "[");
      const own = parameters === -1 ? words : words.slice(0, parameters);
      receiver = own.findLast(({ kind }) => kind === "name")?.text;
    }
    const name = this.#name();
    const first = this.#at;
    this.#skipStatement();
    return { name, receiver, tokens: this.#tokens.slice(first, this.#at), line };
  }

  #type(): GoTypeSyntax {
    if (++this.#depth > maxDepth) throw new GoSyntaxError("types are nested too deeply", this.#peek().line);
    const start = this.#peek().start;
    const other = (): GoTypeSyntax => ({ kind: "other", source: this.#text.slice(start, this.#lastEnd()) });
    try {
      const { kind, text } = this.#next();
      switch (text) {
        case "(": {
          const type = this.#type();
          this.#expect(")");
          return type;
        }
        case "*":
          return { kind: "pointer", of: this.#type() };
        case "[":
          while (!this.#accept("]")) this.#next();
          return { kind: "list", of: this.#type() };
        case "map": {
          this.#expect("[");
          const key = this.#type();
          this.#expect("]");
          return { kind: "map", key, of: this.#type() };
        }
        case "struct":
          return { kind: "struct", fields: this.#fields() };
        case "interface":
          this.#skipBrackets();
          return other();
        case "func":
          this.#skipBrackets();
          if (this.#peek().text === "(") this.#skipBrackets();
          else if (![";", "}", ")", "]", ","].includes(this.#peek().text) && this.#peek().kind !== "string")
            this.#type();
          return other();
        case "chan":
        case "<-":
          this.#accept("<-");
          this.#type();
          return other();
      }
      if (kind !== "name")
        throw new GoSyntaxError(`no type begins with ${JSON.stringify(text)}`, this.#peek(-1).line);
      const member = this.#accept(".") ? this.#name() : undefined;
      if (this.#peek().text === "[") {
        this.#skipBrackets();
        return other();
      }
      return member === undefined
        ? { kind: "name", qualifier: undefined, name: text }
        : { kind: "name", qualifier: text, name: member };
    } finally {
      this.#depth--;
    }
  }

  #fields(): GoFieldSyntax[] {
    this.#expect("{");
    const fields: GoFieldSyntax[] = [];
    for (let before = this.#lastEnd(); !this.#accept("}");) {
      const first = this.#peek();
      const comments = this.#claim(before, first.start, this.#docOf(first));
      const next = this.#peek(1);
      const isEmbedded = first.text === "*" || next.kind === "string" || [".", ";", "}"].includes(next.text);
      const names = isEmbedded ? [] : this.#names();
      const type = this.#type();
      const tag = this.#peek().kind === "string" ? unquote(this.#next().text) : "";
      fields.push({ names, type, tag, comments, line: first.line });
      before = this.#lastEnd();
      this.#accept(";");
    }
    return fields;
  }

  #names(): string[] {
    const names = [this.#name()];
    while (this.#accept(",")) names.push(this.#name());
    return names;
  }

  /** Gives a declaration its documentation, and of the other comments above it the closest. */
  #claim(from: number, start: number, doc: GoCommentGroup | undefined, { isKept = true } = {}): GoComment[] {
    const end = doc?.start ?? start;
    const fromLine = this.#lineOf(from);
    this.#passComments(from);
    let closest: GoCommentGroup | undefined;
    for (let i = this.#comment; i < this.#comments.length && this.#comments[i]!.end <= end; i++)
      if (this.#comments[i]!.startLine > fromLine && this.#comments[i] !== doc) closest = this.#comments[i];
    const groups = [closest, doc].filter((group) => group !== undefined && !this.#claimed.has(group));
    if (isKept) for (const group of groups) this.#claimed.add(group!);
    return groups.map((group) => ({ isDoc: group === doc, lines: group!.lines }));
  }

  /** Passes the comments that begin before a place. */
  #passComments(place: number): void {
    while (this.#comment < this.#comments.length && this.#comments[this.#comment]!.start < place)
      this.#comment++;
  }

  /** The line of a place behind a token that was read. */
  #lineOf(place: number): number {
    let at = Math.min(this.#at, this.#tokens.length - 1);
    while (at > 0 && this.#tokens[at]!.end > place) at--;
    const { line, text } = this.#tokens[at]!;
    return line + text.split("\n").length - 1;
  }

  /** The comment that ends in the line above a token. */
  #docOf(token: GoToken): GoCommentGroup | undefined {
    let found: GoCommentGroup | undefined;
    for (let i = this.#comment; i < this.#comments.length && this.#comments[i]!.end <= token.start; i++)
      found = this.#comments[i];
    return found && !found.isTrailing && found.endLine + 1 === token.line ? found : undefined;
  }

  /** Skips to the end of a statement. */
  #skipStatement(): void {
    while (this.#at < this.#tokens.length && this.#peek().text !== ";" && this.#peek().text !== ")")
      if (["(", "[", "{"].includes(this.#peek().text)) this.#skipBrackets();
      else this.#next();
  }

  /** Skips what stands in brackets, and these. */
  #skipBrackets(): void {
    let depth = 0;
    do {
      const { kind, text } = this.#next();
      if (kind === "symbol" && ["(", "[", "{"].includes(text)) depth++;
      else if (kind === "symbol" && [")", "]", "}"].includes(text)) depth--;
    } while (depth > 0);
  }

  #peek(ahead = 0): GoToken {
    return this.#tokens[this.#at + ahead] ?? this.#end();
  }

  #next(): GoToken {
    if (this.#at >= this.#tokens.length) throw new GoSyntaxError("the file ends too early", this.#end().line);
    return this.#tokens[this.#at++]!;
  }

  #end(): GoToken {
    const at = this.#text.length;
    return { kind: "symbol", text: "", start: at, end: at, line: this.#tokens.at(-1)?.line ?? 1 };
  }

  /** Where the last token of the source ended, leaving out the `;` of a line's end. */
  #lastEnd(): number {
    const { start, end } = this.#tokens[this.#at - 1]!;
    return start === end && this.#at > 1 ? this.#tokens[this.#at - 2]!.end : end;
  }

  #accept(text: string): boolean {
    if (this.#peek().text !== text || this.#peek().kind === "string") return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    const { line, text: found } = this.#peek();
    if (!this.#accept(text))
      throw new GoSyntaxError(`${JSON.stringify(text)} is expected, not ${JSON.stringify(found)}`, line);
  }

  #name(): string {
    const { kind, text, line } = this.#next();
    if (kind !== "name") throw new GoSyntaxError(`a name is expected, not ${JSON.stringify(text)}`, line);
    return text;
  }
}

/** The value of a string literal. Of escapes, those that JSON has too are known. */
export function unquote(literal: string): string {
  if (literal.startsWith("`")) return literal.slice(1, -1).replaceAll("\r", "");
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, -1);
  }
}
