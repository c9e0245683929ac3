/** A number at a time in milliseconds; it holds until the next one. */
export interface Level {
  readonly at: number;
  readonly value: number;
}

/** What each quarter must add, as a part of the whole. */
const leastPart = 0.1;

/**
 * How much levels have grown in a stretch of time, if they only grew: the lowest level of each of its quarters is well
 * above that of the quarter before. Peaks that go away are no growth, and neither is what has come to an end.
 */
export function steadyGrowth(levels: readonly Level[], from: number, to: number): number | undefined {
  const lows = [0, 1, 2, 3].map((quarter) => {
    const step = (to - from) / 4;
    return lowest(levels, from + quarter * step, from + (quarter + 1) * step);
  });
  const [first, , , last] = lows;
  if (first === undefined || last === undefined) return undefined;
  const growth = last - first;
  const isSteady = lows.every(
    (low, quarter) =>
      quarter === 0 ||
      (low !== undefined && low - (lows[quarter - 1] ?? Infinity) >= growth * leastPart && growth > 0),
  );
  return isSteady ? growth : undefined;
}

/** Undefined if the level at the beginning is not known. */
function lowest(levels: readonly Level[], from: number, to: number): number | undefined {
  const known = levels.findLastIndex(({ at }) => at <= from);
  if (known === -1) return undefined;
  let low = levels[known]!.value;
  for (let index = known + 1; index < levels.length && levels[index]!.at <= to; index++)
    low = Math.min(low, levels[index]!.value);
  return low;
}
