/** An error in an expression, with its position. */
export interface Issue {
  /** Offset in UTF-16 code units; -1 for the whole expression. */
  readonly pos: number;
  readonly message: string;
}

/** The error of an invalid expression. */
export class CelSyntaxError extends Error {
  readonly issues: readonly Issue[];
  readonly source: string;

  constructor(source: string, issues: readonly Issue[]) {
    super(formatIssues(source, issues));
    this.name = "CelSyntaxError";
    this.source = source;
    this.issues = issues;
  }
}

/**
 * Formats errors as cel-go does, with the line and a caret below it: the API server returns this text to users.
 * Below wide characters there are wide dots, so that the caret lines up.
 */
export function formatIssues(source: string, issues: readonly Issue[], name = "<input>"): string {
  return sortByPosition(source, issues)
    .map(({ line, column, message, text }) => {
      if (line < 1) return `ERROR: ${name}:-1:0: ${message}`;
      // An empty text has no line to show.
      if (source === "") return `ERROR: ${name}:1:0: ${message}`;
      const head = `ERROR: ${name}:${line}:${column + 1}: ${message}`;
      const chars = Array.from(text);
      const dots = chars.slice(0, column).map((char) => (isWide(char) ? "．" : "."));
      const caret = column < chars.length && isWide(chars[column]!) ? "＾" : "^";
      return `${head}\n | ${text.replaceAll("\t", " ")}\n | ${dots.join("")}${caret}`;
    })
    .join("\n");
}

/** An issue with its position as line and column, and the text of the line. */
interface LocatedIssue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly text: string;
}

/** Returns the issues in the order of their positions; a position may have several. */
function sortByPosition(source: string, issues: readonly Issue[]): LocatedIssue[] {
  return issues
    .map((issue) => ({ ...locate(source, issue.pos), message: issue.message }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Lines start at one; columns start at zero and are in characters. */
function locate(source: string, pos: number): { line: number; column: number; text: string } {
  if (pos < 0) return { line: -1, column: 0, text: "" };
  const start = source.lastIndexOf("\n", pos - 1) + 1;
  const end = source.indexOf("\n", start);
  const line = source.slice(0, start).split("\n").length;
  const column = Array.from(source.slice(start, pos)).length;
  return { line, column, text: source.slice(start, end === -1 ? undefined : end) };
}

function isWide(char: string): boolean {
  return char.codePointAt(0)! > 0x7f;
}
