/**
 * Returns a description as Markdown: its own Markdown stays, but HTML in it is shown as text. Outside of code blocks every
 * `<` is escaped except in autolinks: links, tables and the renderer decide whether backticks around it make a code span.
 * Backticks without a partner in their line are escaped, and so are fences without a closing one.
 */
export function markdownText(text: string): string {
  const lines = text.split(/\r\n?|\n/u);
  const types = readMarkdownLines(lines);
  return lines.map((line, i) => escapes[types[i]!](line)).join("\n");
}

/** A line of Markdown is text, one of the two fences of a code block, or code between them. */
export type MarkdownLine = "text" | "fence" | "code";

/** Finds the code blocks of a text. A fence without a closing one is text, and so are the lines below it. */
export function readMarkdownLines(lines: readonly string[]): readonly MarkdownLine[] {
  if (!lines.some((line) => /```|~~~/u.test(line))) return lines.map(() => "text");
  const found: MarkdownLine[] = [];
  while (found.length < lines.length) {
    const start = found.length;
    const end = findClosingFence(lines, start);
    if (end === undefined) found.push("text");
    else found.push("fence", ...lines.slice(start + 1, end).map(() => "code" as const), "fence");
  }
  return found;
}

/** Finds the line that closes a code block; with lines that are indented less, the opening fence is text. */
function findClosingFence(lines: readonly string[], at: number): number | undefined {
  const [, indent, fence] = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/u.exec(lines[at]!) ?? [];
  if (indent === undefined || fence === undefined) return undefined;
  for (let end = at + 1; end < lines.length; end += 1) {
    const line = lines[end]!;
    if (!line.startsWith(indent) && !/^[ \t]*$/u.test(line)) return undefined;
    const run = /^[ \t]*(`+|~+)[ \t]*$/u.exec(line)?.[1];
    if (run?.startsWith(fence)) return /^ {0,3}[`~]/u.test(line) ? end : undefined;
  }
  return undefined;
}

/** Escapes each type of line; an opening fence may be followed by words. */
const escapes: Readonly<Record<MarkdownLine, (line: string) => string>> = {
  text: escapeLine,
  fence: (line) => line.replaceAll("<", "&lt;"),
  code: (line) => line,
};

/** An escape, an autolink, a code span, or what may need an escape, in the order in which Markdown reads them. */
const inlineParts = /\\[!-/:-@[-`{-~]|<https?:\/\/[^\s<>`\\|]+>|(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)|`+|~{3,}|</gu;

function escapeLine(line: string): string {
  return line.replaceAll(inlineParts, (found, fence: string | undefined, code: string | undefined) => {
    if (fence !== undefined && code !== undefined) {
      // Markdown omits a space at both ends of a code span.
      return /[<|]/u.test(found) ? codeElement(code.replace(/^ (.*[^ ].*) $/u, "$1")) : found;
    }
    if (found === "<" || found === "\\<") return "&lt;";
    const isEscapeOrLink = /^(?:\\|<.)/u.test(found);
    return isEscapeOrLink ? found : found.replaceAll(/[`~]/gu, "\\$&");
  });
}

/** A value as code that shows all of its characters. */
export function markdownCode(value: string): string {
  const line = onOneLine(value);
  if (/[<|]/u.test(line)) return codeElement(line);
  const longest = Math.max(0, ...[...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = /^`|`$/u.test(line) ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** Code with a `<`, or with a bar, which would end a cell of a table: written without Markdown. */
function codeElement(line: string): string {
  const text = line.replaceAll(/[^\p{L}\p{N} .,:;/=+-]/gu, (char) => `&#${char.codePointAt(0)};`);
  return `<code>${text}</code>`;
}

/** A cell of a table: a single line with escaped bars. */
export function tableCell(markdown: string): string {
  return onOneLine(markdown).replaceAll(/\\.|\|/gu, (found) => (found === "|" ? "\\|" : found));
}

/** Joins the lines of a text by spaces. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]\s*/gu, " ");
}
