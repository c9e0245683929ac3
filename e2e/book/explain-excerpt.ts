/** A line of an excerpt that stands for any lines of the file. */
const gap = /^\s*(?:\/\/|#) …$/;

/**
 * Explains which line of an excerpt its file lacks, or has in another order; undefined if it equals lines of the file. Between
 * lines `// …` the lines are consecutive; all of them may be indented less than in the file.
 */
export function explainExcerpt(excerpt: string, file: string): string | undefined {
  const lines = file.split("\n");
  const parts = partsOf(excerpt);
  if (parts.flat().join("").trim() === "") return "the excerpt has no line of the file";
  let from = 0;
  for (const part of parts) {
    const at = lines.findIndex((_, index) => index >= from && beginsAt(lines, index, part));
    if (at === -1) return `the file does not have these lines:\n${part.join("\n")}`;
    from = at + part.length;
  }
  return undefined;
}

function partsOf(excerpt: string): string[][] {
  const parts: string[][] = [[]];
  for (const line of excerpt.trimEnd().split("\n")) {
    if (gap.test(line)) parts.push([]);
    else parts.at(-1)!.push(line);
  }
  return parts.filter((part) => part.length > 0);
}

function beginsAt(lines: readonly string[], index: number, part: readonly string[]): boolean {
  const first = lines[index] ?? "";
  const indent = first.slice(0, first.length - part[0]!.length);
  return (
    indent.trim() === "" && part.every((line, at) => lines[index + at] === (line === "" ? "" : indent + line))
  );
}
