/**
 * A description as Markdown: its own Markdown stays, but HTML in it is shown as text. Outside of code blocks no `<` is
 * left but those of autolinks: which backticks make a code span depends on links, tables and the renderer. Backticks
 * without a partner in their line are escaped, and so is a fence that nothing closes.
 */
export function markdownText(text: string): string {
  const lines = text.split(/\r\n?|\n/u);
  const escaped: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const end = findClosingFence(lines, at);
    escaped.push(end === undefined ? escapeLine(lines[at]!) : lines[at]!.replaceAll("<", "&lt;"));
    if (end === undefined) continue;
    escaped.push(...lines.slice(at + 1, end + 1));
    at = end;
  }
  return escaped.join("\n");
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

/**
 * The line that closes the code block which a line opens. A block whose lines are indented less than its fence is none:
 * in an item of a list it would end there, elsewhere not.
 */
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
