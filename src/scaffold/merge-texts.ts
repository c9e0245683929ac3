import { diffLines, type Hunk } from "./diff-lines.ts";

/** Applies the changes between two versions of our text to the user's, line by line; undefined on conflicts. */
export function mergeTexts(base: string, ours: string, theirs: string): string | undefined {
  if (base === theirs) return ours;
  if (base === ours || ours === theirs) return theirs;
  const [baseLines, ourLines, theirLines] = [base, ours, theirs].map((text) => text.split("\n")) as [
    string[],
    string[],
    string[],
  ];
  const wanted = diffLines(baseLines, ourLines);
  const made = diffLines(baseLines, theirLines);
  const merged: string[] = [];
  let at = 0;
  while (wanted.length > 0 || made.length > 0) {
    const [hunk, lines] = takeFirst(wanted, made, ourLines, theirLines);
    if (hunk.aStart < at) return undefined;
    if (isTouched(hunk, wanted[0]) || isTouched(hunk, made[0])) {
      const [other, otherLines] = takeFirst(wanted, made, ourLines, theirLines);
      if (!isSameChange(hunk, lines, other, otherLines)) return undefined;
    }
    merged.push(...baseLines.slice(at, hunk.aStart), ...lines);
    at = hunk.aEnd;
  }
  return [...merged, ...baseLines.slice(at)].join("\n");
}

function takeFirst(
  wanted: Hunk[],
  made: Hunk[],
  ourLines: readonly string[],
  theirLines: readonly string[],
): [Hunk, string[]] {
  const oursFirst = made.length === 0 || (wanted.length > 0 && wanted[0]!.aStart <= made[0]!.aStart);
  const hunk = (oursFirst ? wanted : made).shift()!;
  return [hunk, (oursFirst ? ourLines : theirLines).slice(hunk.bStart, hunk.bEnd)];
}

/** Hunks of one text never overlap, so a hunk that starts within another one is from the other side. */
function isTouched(hunk: Hunk, next: Hunk | undefined): boolean {
  if (!next) return false;
  return next.aStart < hunk.aEnd || next.aStart === hunk.aStart;
}

function isSameChange(a: Hunk, aLines: readonly string[], b: Hunk, bLines: readonly string[]): boolean {
  return a.aStart === b.aStart && a.aEnd === b.aEnd && aLines.join("\n") === bLines.join("\n");
}
