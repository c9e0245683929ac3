import { diffLines, type Hunk } from "@tsbuilder/apimachinery/text";
import type { FileChange } from "./file-change.ts";

const context = 3;

/** Formats a change like `diff -u` and git. */
export function formatUnifiedDiff({ path, before, content }: FileChange): string {
  if (typeof content === "object" || before?.includes("\0")) return `Binary file ${path}\n`;
  const [a, b] = [splitLines(before), splitLines(content)];
  const header = [
    `--- ${before === undefined ? "/dev/null" : `a/${path}`}`,
    `+++ ${content === undefined ? "/dev/null" : `b/${path}`}`,
  ];
  const blocks = groupHunks(diffLines(a, b)).map((hunks) => formatBlock(hunks, a, b));
  return `${[...header, ...blocks].join("\n")}\n`;
}

function splitLines(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** Groups hunks whose context overlaps. */
function groupHunks(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last && hunk.aStart - last.aEnd <= 2 * context) groups.at(-1)!.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function formatBlock(hunks: readonly Hunk[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunks[0]!, hunks.at(-1)!];
  const aStart = Math.max(0, first.aStart - context);
  const aEnd = Math.min(a.length, last.aEnd + context);
  const bStart = first.bStart - (first.aStart - aStart);
  const bEnd = last.bEnd + (aEnd - last.aEnd);
  const lines = [`@@ -${range(aStart, aEnd)} +${range(bStart, bEnd)} @@`];
  let at = aStart;
  for (const hunk of hunks) {
    lines.push(...a.slice(at, hunk.aStart).map((line) => ` ${line}`));
    lines.push(...a.slice(hunk.aStart, hunk.aEnd).map((line) => `-${line}`));
    lines.push(...b.slice(hunk.bStart, hunk.bEnd).map((line) => `+${line}`));
    at = hunk.aEnd;
  }
  lines.push(...a.slice(at, aEnd).map((line) => ` ${line}`));
  return lines.join("\n");
}

/** Formats a range: an empty one starts at the line before it, and a range of one line omits its length. */
function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}
