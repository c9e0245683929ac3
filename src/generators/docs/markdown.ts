import { type MarkdownLine, readMarkdownLines } from "../markdown-lines.ts";

/**
 * A description as Markdown: its own Markdown stays, but HTML in it is shown as text. Outside of code blocks no `<` is
 * left but those of autolinks: which backticks make a code span depends on links, tables and the renderer. Backticks
 * without a partner in their line are escaped, and so is a fence that nothing closes.
 */
export function markdownText(text: string): string {
  const lines = text.split(/\r\n?|\n/u);
  const parts = readMarkdownLines(lines);
  return lines.map((line, i) => escapes[parts[i]!](line)).join("\n");
}

/** How the lines are escaped; behind an opening fence stand words. */
const escapes: Readonly<Record<MarkdownLine, (line: string) => string>> = {
  text: escapeLine,
  fence: (line) => line.replaceAll("<", "&lt;"),
  code: (line) => line,
};

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

/**
 * An escaped character, an autolink, a code span, or what may need an escape; Markdown reads the first of them before
 * all others.
 */
const part = /\\[!-/:-@[-`{-~]|<https?:\/\/[^\s<>`\\|]+>|(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)|`+|~{3,}|</gu;

function escapeLine(line: string): string {
  return line.replaceAll(part, (found, fence: string | undefined, code: string | undefined) => {
    if (fence !== undefined && code !== undefined) {
      const written = code.replace(/^ (.*[^ ].*) $/u, "$1");
      return /[<|]/u.test(found) ? codeElement(written) : found;
    }
    if (found === "<" || found === "\\<") return "&lt;";
    if (/^(?:\\|<.)/u.test(found)) return found;
    return found.replaceAll(/[`~]/gu, "\\$&");
  });
}
