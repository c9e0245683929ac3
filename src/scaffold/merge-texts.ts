import { diffLines, type Hunk } from "@tsbuilder/apimachinery/text";

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

/** Merges as `mergeTexts` does, with both sides of conflicts between markers; `name` labels ours. */
export function mergeMarked(base: string, ours: string, theirs: string, name: string): MarkedText {
  if (base === theirs) return { text: ours, conflicts: [] };
  if (base === ours || ours === theirs) return { text: theirs, conflicts: [] };
  const baseLines = base.split("\n");
  const [wanted, made] = [ours, theirs].map((text) => changesOf(baseLines, text.split("\n"))) as [
    Change[],
    Change[],
  ];
  const merged: string[] = [];
  const conflicts: Conflict[] = [];
  let at = 0;
  while (wanted.length > 0 || made.length > 0) {
    const { from, to, ourChanges, theirChanges } = takeTouching(wanted, made);
    merged.push(...baseLines.slice(at, from));
    const our = applyTo(baseLines, from, to, ourChanges);
    const their = applyTo(baseLines, from, to, theirChanges);
    at = to;
    if (theirChanges.length === 0 || isSame(our, their)) merged.push(...our);
    else if (ourChanges.length === 0) merged.push(...their);
    else {
      conflicts.push({ line: merged.length + 1, ours: our.join("\n"), theirs: their.join("\n") });
      merged.push(`${conflictMarkers.start} yours`, ...their, conflictMarkers.middle);
      merged.push(...our, `${conflictMarkers.end} ${name}`);
    }
  }
  return { text: [...merged, ...baseLines.slice(at)].join("\n"), conflicts };
}

/** The markers of git. */
export const conflictMarkers = { start: "<<<<<<<", middle: "=======", end: ">>>>>>>" } as const;

/** Lines of the base that one side replaces. */
interface Change extends Hunk {
  readonly lines: readonly string[];
}

function changesOf(base: readonly string[], side: readonly string[]): Change[] {
  return diffLines(base, side).map((hunk) => ({ ...hunk, lines: side.slice(hunk.bStart, hunk.bEnd) }));
}

interface Touching {
  /** The range of lines in the base. */
  readonly from: number;
  readonly to: number;
  readonly ourChanges: readonly Change[];
  readonly theirChanges: readonly Change[];
}

/** Takes the first change with all changes that overlap it, directly or through others. */
function takeTouching(wanted: Change[], made: Change[]): Touching {
  const from = Math.min(...[wanted[0], made[0]].flatMap((change) => change?.aStart ?? []));
  const ourChanges: Change[] = [];
  const theirChanges: Change[] = [];
  let to = from;
  for (;;) {
    const [side, taken] = isTouched(wanted[0], from, to) ? [wanted, ourChanges] : [made, theirChanges];
    if (!isTouched(side[0], from, to)) return { from, to, ourChanges, theirChanges };
    const change = side.shift()!;
    taken.push(change);
    to = Math.max(to, change.aEnd);
  }
}

/** Changes of one side never overlap, so a change that starts within another one is from the other side. */
const isTouched = (change: Change | undefined, from: number, to: number): boolean =>
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
