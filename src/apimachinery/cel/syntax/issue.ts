/** One thing that is wrong with an expression, and where. */
export interface Issue {
  /** Offset in UTF-16 units; -1 for the expression as a whole. */
  readonly pos: number;
  readonly message: string;
}

/** What an expression that can't be compiled is refused with. */
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
 * Renders issues as cel-go does, with the line and a caret below it: API servers hand this text to users.
 * Wide characters get a wide dot, so that the caret lines up.
 */
export function formatIssues(source: string, issues: readonly Issue[], name = "<input>"): string {
  return sorted(source, issues)
    .map(({ line, column, message, text }) => {
      if (line < 1) return `ERROR: ${name}:-1:0: ${message}`;
      const head = `ERROR: ${name}:${line}:${column + 1}: ${message}`;
      const chars = Array.from(text);
      const dots = chars.slice(0, column).map((char) => (isWide(char) ? "．" : "."));
      const caret = column < chars.length && isWide(chars[column]!) ? "＾" : "^";
      return `${head}\n | ${text.replaceAll("\t", " ")}\n | ${dots.join("")}${caret}`;
    })
    .join("\n");
}

interface Placed {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly text: string;
}

/** In the order of the source; the same place may have several. */
function sorted(source: string, issues: readonly Issue[]): Placed[] {
  return issues
    .map((issue) => ({ ...locate(source, issue.pos), message: issue.message }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Lines count from one, columns from zero in characters. */
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
