// Cuts Go's source text into tokens and groups of comments, as Go's own scanner and parser do.

/** A token of Go. The end of a line that ends a statement is the token `;`, with no text in the source. */
export interface GoToken {
  readonly kind: "name" | "string" | "literal" | "symbol";
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

/** Comments without a blank line or code between them. */
export interface GoCommentGroup {
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  /** Their text without comment signs, line by line; directives such as `go:generate` are left out. */
  readonly lines: readonly string[];
  /** The group stands in the line of the code before it. */
  readonly isTrailing: boolean;
}

export interface ScannedGo {
  readonly tokens: readonly GoToken[];
  readonly comments: readonly GoCommentGroup[];
}

/** What Go's compiler rejects, with the line. */
export class GoSyntaxError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const pattern =
  /(?<space>[ \t\r\f\v\u{FEFF}]+)|(?<newline>\n)|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<name>[\p{L}_][\p{L}\p{Nd}_]*)|(?<string>"(?:[^"\\\n]|\\.)*"|`[^`]*`)|(?<literal>'(?:[^'\\\n]|\\.)+'|\.?\d(?:[eEpP][+-]|[\w.])*)|(?<symbol>\+\+|--|\.\.\.|<-|[^\s])/uy;

/** Scans a file. Throws a `GoSyntaxError` where no token begins. */
export function scanGo(text: string): ScannedGo {
  const tokens: GoToken[] = [];
  const comments: GoCommentGroup[] = [];
  let run: Comment[] = [];
  let line = 1;
  let lastLine = 0;
  let endsStatement = false;
  const endStatement = (at: number): void => {
    if (endsStatement) tokens.push({ kind: "symbol", text: ";", start: at, end: at, line });
    endsStatement = false;
  };
  pattern.lastIndex = 0;
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) throw new GoSyntaxError("no token of Go begins here", line);
    const end = pattern.lastIndex;
    if (groups["newline"] !== undefined) {
      endStatement(at);
      line++;
      continue;
    }
    if (groups["space"] !== undefined) continue;
    const part = text.slice(at, end);
    const lines = part.split("\n").length - 1;
    if (groups["comment"] !== undefined) {
      run.push({ text: part, start: at, end, line, endLine: line + lines });
      // A block comment that has a line break ends a statement as the break does.
      if (lines > 0) endStatement(at);
      line += lines;
      continue;
    }
    comments.push(...groupComments(run, lastLine));
    run = [];
    const kind = (["name", "string", "literal", "symbol"] as const).find(
      (each) => groups[each] !== undefined,
    )!;
    // Each further search for its end would read the whole file.
    if (part === "/" && text[end] === "*") throw new GoSyntaxError("a comment has no end", line);
    if (part === '"' || part === "'" || part === "`") throw new GoSyntaxError("a literal has no end", line);
    tokens.push({ kind, text: part, start: at, end, line });
    line += lines;
    lastLine = line;
    endsStatement = kind === "name" ? !continuing.has(part) : kind !== "symbol" || ending.has(part);
  }
  comments.push(...groupComments(run, lastLine));
  endStatement(text.length);
  return { tokens, comments };
}

/** Symbols after which a line break ends the statement. */
const ending = new Set([")", "]", "}", "++", "--"]);

/** Keywords after which a line break ends no statement. */
const continuing = new Set(
  "case chan const default defer else for func go goto if import interface map package range select struct switch type var".split(
    " ",
  ),
);

interface Comment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly endLine: number;
}

/** Groups the comments between two tokens; those in the line of the first one are a group of their own. */
function groupComments(run: readonly Comment[], lastLine: number): GoCommentGroup[] {
  const groups: GoCommentGroup[] = [];
  for (let i = 0; i < run.length;) {
    const first = run[i]!;
    const isTrailing = first.line === lastLine;
    const members = [first];
    let endLine = first.endLine;
    for (i++; i < run.length && run[i]!.line <= endLine + (isTrailing ? 0 : 1); i++) {
      members.push(run[i]!);
      endLine = run[i]!.endLine;
    }
    const { start, line: startLine } = first;
    const { end } = members.at(-1)!;
    groups.push({ start, end, startLine, endLine, lines: members.flatMap(commentLines), isTrailing });
  }
  return groups;
}

function commentLines({ text }: Comment): string[] {
  if (text.startsWith("//")) {
    const rest = text.slice(2);
    return isDirective(rest) ? [] : [rest.replace(/^ /u, "").trimEnd()];
  }
  // What looks like a marker in a block comment is none.
  return text
    .slice(2, -2)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !line.startsWith("+"));
}

/** Returns whether a comment is for tools, as `go:generate` is. */
function isDirective(text: string): boolean {
  return text.startsWith("line ") || /^[a-z0-9]+:[a-z0-9]/u.test(text);
}
