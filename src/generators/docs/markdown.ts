/**
 * A description as Markdown: its own Markdown stays, but HTML in it is shown as text. Backticks without a partner in
 * their line are escaped, so that they can't end a code span that follows.
 */
export function markdownText(text: string): string {
  return text.split("\n").map(escapeLine).join("\n");
}

/** A value as a code span, which shows all of its characters. */
export function markdownCode(value: string): string {
  const line = onOneLine(value);
  const longest = Math.max(0, ...[...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = /^`|`$/u.test(line) ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** A cell of a table: a single line with escaped bars. */
export function tableCell(markdown: string): string {
  return onOneLine(markdown).replaceAll("|", "\\|");
}

/** Joins the lines of a text by spaces. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/gu, " ");
}

/** The line that opens or closes a code block. */
const fenceLine = /^ {0,3}`{3,}[^`]*$/u;
/** An escaped character, a code span, or what may need an escape; Markdown reads the first of them before all others. */
const part = /\\[!-/:-@[-`{-~]|(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)|`+|</gu;

function escapeLine(line: string): string {
  if (fenceLine.test(line)) return line.replaceAll("<", "&lt;");
  return line.replaceAll(part, (found, fence: string | undefined) => {
    if (fence !== undefined || found.startsWith("\\")) return found;
    return found === "<" ? "&lt;" : found.replaceAll("`", "\\`");
  });
}
