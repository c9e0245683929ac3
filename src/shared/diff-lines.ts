import { diffArrays } from "diff";

/** Lines of one text that replace lines of the other; line numbers are zero-based. */
export interface Hunk {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/** The number of differing lines up to which a smallest set of hunks is searched: the time grows with its square. */
const maxEditLength = 2000;

/** Returns the smallest set of differing hunks between two texts; all lines as a single hunk if too many differ. */
export function diffLines(a: readonly string[], b: readonly string[]): Hunk[] {
  const changes = diffArrays([...a], [...b], { maxEditLength });
  if (!changes) return [{ aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length }];
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  let start: readonly [number, number] | undefined;
  const finish = (): void => {
    if (start) hunks.push({ aStart: start[0], aEnd: i, bStart: start[1], bEnd: j });
    start = undefined;
  };
  for (const { added, removed, count } of changes) {
    if (added || removed) start ??= [i, j];
    else finish();
    if (!added) i += count;
    if (!removed) j += count;
  }
  finish();
  return hunks;
}
