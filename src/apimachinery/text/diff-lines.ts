/** Lines of one text that replace lines of the other; line numbers are zero-based. */
export interface Hunk {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/** The limit of lengths in the table of common subsequences, of four bytes each: 64 MB. */
const maxLengths = 2 ** 24;

/**
 * Returns the smallest set of differing hunks between two texts, by their longest common subsequence; if too much lies
 * between the first and the last difference to search for one, that is a single hunk.
 */
export function diffLines(a: readonly string[], b: readonly string[]): Hunk[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const [aEnd, bEnd] = [a.length - tail, b.length - tail];
  if ((aEnd - head) * (bEnd - head) > maxLengths) return [{ aStart: head, aEnd, bStart: head, bEnd }];
  const lengths = commonSubsequenceLengths(a.slice(head, aEnd), b.slice(head, bEnd));
  const hunks: Hunk[] = [];
  let [i, j] = [head, head];
  while (i < aEnd || j < bEnd) {
    if (i < aEnd && j < bEnd && a[i] === b[j]) {
      [i, j] = [i + 1, j + 1];
      continue;
    }
    const [aStart, bStart] = [i, j];
    while ((i < aEnd || j < bEnd) && !(i < aEnd && j < bEnd && a[i] === b[j])) {
      const withoutLineOfA = lengths[i - head + 1]?.[j - head] ?? -1;
      const withoutLineOfB = lengths[i - head]?.[j - head + 1] ?? -1;
      if (i < aEnd && (j >= bEnd || withoutLineOfA >= withoutLineOfB)) i++;
      else j++;
    }
    hunks.push({ aStart, aEnd: i, bStart, bEnd: j });
  }
  return hunks;
}

/** Returns a table: `lengths[i][j]` is the length of the longest common subsequence of the texts from lines i and j on. */
function commonSubsequenceLengths(a: readonly string[], b: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    const [row, below] = [lengths[i]!, lengths[i + 1]!];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? below[j + 1]! + 1 : Math.max(below[j]!, row[j + 1]!);
    }
  }
  return lengths;
}
