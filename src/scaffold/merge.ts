// Three-way merges of a text of ours that the user may have edited.

import { type JSONValue, isObject } from "@tsbuilder/apimachinery/json";
import { type Hunk, diffLines } from "../shared/diff-lines.ts";

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
    if (theirChanges.length === 0 || areSame(ourLines, theirLines)) merged.push(...ourLines);
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

const areSame = (a: readonly string[], b: readonly string[]): boolean => a.join("\n") === b.join("\n");

/** The result of merging a JSON file, and the keys that both sides changed. */
interface MergedJson {
  readonly text: string;
  /** `devDependencies.vitest`; the user's value is kept. */
  readonly disputed: readonly string[];
}

/**
 * Applies the changes between two versions of our JSON to the user's, key by key: a line-based merge would conflict on
 * the comma after a dependency that the user added. Undefined if one of the three is not JSON.
 */
export function mergeJson(base: string, ours: string, theirs: string): MergedJson | undefined {
  const disputed: string[] = [];
  try {
    const parse = (text: string): JSONValue => JSON.parse(text) as JSONValue;
    const merged = mergeValues(parse(base), parse(ours), parse(theirs), [], disputed);
    return { text: `${JSON.stringify(merged, undefined, 2)}\n`, disputed };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Merges three values of one key; undefined removes the key. Adds the paths of disputed keys to the list. */
function mergeValues(
  base: JSONValue | undefined,
  ours: JSONValue | undefined,
  theirs: JSONValue | undefined,
  path: readonly string[],
  disputed: string[],
): JSONValue | undefined {
  // An empty object is one that the user may leave out.
  if (isSame(base, theirs) || (theirs === undefined && isSame(base, {}))) return ours;
  if (isSame(base, ours) || isSame(ours, theirs)) return theirs;
  if (!isObject(ours) || !isObject(theirs)) {
    disputed.push(path.join("."));
    return theirs;
  }
  const baseObject = isObject(base) ? base : {};
  const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  const entries = [...keys].map(
    (key) => [key, mergeValues(baseObject[key], ours[key], theirs[key], [...path, key], disputed)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JSONValue;
}

/** Compares with the order of members, which the user may have chosen. */
const isSame = (a: JSONValue | undefined, b: JSONValue | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
