// Three-way merges of a text of ours that the user may have edited.

import { type Hunk, diffLines } from "@tsbuilder/apimachinery/text";

/** Lines that both sides changed differently. */
export interface Conflict {
  /** The line in the merged text at which it begins, from 1. */
  readonly line: number;
  /** The template's lines. */
  readonly ours: string;
  /** The user's lines. */
  readonly theirs: string;
}

/** A text with both sides of each conflict between markers as git writes them. */
export interface MarkedText {
  readonly text: string;
  readonly conflicts: readonly Conflict[];
}

/** Applies the changes between two versions of our text to the user's text, line by line; undefined on conflicts. */
export function mergeTexts(base: string, ours: string, theirs: string): string | undefined {
  const { text, conflicts } = mergeMarked(base, ours, theirs, "");
  return conflicts.length === 0 ? text : undefined;
}

export const conflictMarkers = { start: "<<<<<<<", middle: "=======", end: ">>>>>>>" } as const;

/** Lines of the base that one side replaces. */
interface Change extends Hunk {
  readonly lines: readonly string[];
}

/** Merges as `mergeTexts` does, with both sides of conflicts between markers; `name` labels ours. */
export function mergeMarked(base: string, ours: string, theirs: string, name: string): MarkedText {
  if (base === theirs) return { text: ours, conflicts: [] };
  if (base === ours || ours === theirs) return { text: theirs, conflicts: [] };
  const baseLines = base.split("\n");
  const [ourQueue, theirQueue] = [ours, theirs].map((text) => listChanges(baseLines, text.split("\n"))) as [
    Change[],
    Change[],
  ];
  const merged: string[] = [];
  const conflicts: Conflict[] = [];
  let at = 0;
  while (ourQueue.length > 0 || theirQueue.length > 0) {
    const { from, to, ourChanges, theirChanges } = takeOverlapping(ourQueue, theirQueue);
    merged.push(...baseLines.slice(at, from));
    const ourLines = applyTo(baseLines, from, to, ourChanges);
    const theirLines = applyTo(baseLines, from, to, theirChanges);
    at = to;
    if (theirChanges.length === 0 || isSame(ourLines, theirLines)) merged.push(...ourLines);
    else if (ourChanges.length === 0) merged.push(...theirLines);
    else {
      conflicts.push({ line: merged.length + 1, ours: ourLines.join("\n"), theirs: theirLines.join("\n") });
      merged.push(`${conflictMarkers.start} yours`, ...theirLines, conflictMarkers.middle);
      merged.push(...ourLines, `${conflictMarkers.end} ${name}`);
    }
  }
  return { text: [...merged, ...baseLines.slice(at)].join("\n"), conflicts };
}

function listChanges(base: readonly string[], side: readonly string[]): Change[] {
  return diffLines(base, side).map((hunk) => ({ ...hunk, lines: side.slice(hunk.bStart, hunk.bEnd) }));
}

interface OverlappingChanges {
  /** The range of lines in the base. */
  readonly from: number;
  readonly to: number;
  readonly ourChanges: readonly Change[];
  readonly theirChanges: readonly Change[];
}

/** Takes the first change from its queue, with all changes that overlap it, directly or through others. */
function takeOverlapping(ourQueue: Change[], theirQueue: Change[]): OverlappingChanges {
  const from = Math.min(...[ourQueue[0], theirQueue[0]].flatMap((change) => change?.aStart ?? []));
  const ourChanges: Change[] = [];
  const theirChanges: Change[] = [];
  let to = from;
  for (;;) {
    const [side, taken] = overlaps(ourQueue[0], from, to)
      ? [ourQueue, ourChanges]
      : [theirQueue, theirChanges];
    if (!overlaps(side[0], from, to)) return { from, to, ourChanges, theirChanges };
    const change = side.shift()!;
    taken.push(change);
    to = Math.max(to, change.aEnd);
  }
}

/** Changes of one side never overlap, so a change that starts within another one is from the other side. */
const overlaps = (change: Change | undefined, from: number, to: number): boolean =>
  change !== undefined && (change.aStart === from || change.aStart < to);

function applyTo(base: readonly string[], from: number, to: number, changes: readonly Change[]): string[] {
  const lines: string[] = [];
  let at = from;
  for (const change of changes) {
    lines.push(...base.slice(at, change.aStart), ...change.lines);
    at = change.aEnd;
  }
  return [...lines, ...base.slice(at, to)];
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join("\n") === b.join("\n");
