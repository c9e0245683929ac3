/** What a line of Markdown is: text, one of the two fences of a code block, or code between them. */
export type MarkdownLine = "text" | "fence" | "code";

/** Finds the code blocks of a text. A fence that nothing closes is text: what stands below it keeps its meaning. */
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
