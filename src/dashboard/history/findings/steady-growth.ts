/** A number at a time in milliseconds. */
export interface Level {
  readonly at: number;
  readonly value: number;
}

/** What a level is between two that are known; undefined before the first. */
export type Between = (levels: readonly Level[], moment: number) => number | undefined;

/** What each quarter must add, as a part of the whole. */
const leastPart = 0.1;

/**
 * How much levels have grown in a stretch of time, if they only grew: the lowest level of each of its quarters is well
 * above that of the quarter before. Peaks that go away are no growth, and neither is what has come to an end.
 */
export function steadyGrowth(
  levels: readonly Level[],
  from: number,
  to: number,
  between: Between,
): number | undefined {
  const step = (to - from) / 4;
  const lows = [0, 1, 2, 3].map((quarter) =>
    lowest(levels, from + quarter * step, from + (quarter + 1) * step, between),
  );
  const growth = lows[3]! - lows[0]!;
  const isSteady = lows.every(
    (low, quarter) => quarter === 0 || low - lows[quarter - 1]! >= growth * leastPart,
  );
  return isSteady && growth > 0 ? growth : undefined;
}

/** A level holds until the next one. */
export const held: Between = (levels, moment) => levels.findLast(({ at }) => at <= moment)?.value;

/** A level moves evenly to the next one. */
export const even: Between = (levels, moment) => {
  const next = levels.findIndex(({ at }) => at >= moment);
  const [before, after] = [levels[next - 1], levels[next]];
  if (after === undefined || after.at === moment || before === undefined) {
    return after?.at === moment ? after.value : undefined;
  }
  return before.value + ((after.value - before.value) * (moment - before.at)) / (after.at - before.at);
};

/** NaN if the level at the beginning is not known, which is no growth to anything. */
function lowest(levels: readonly Level[], from: number, to: number, between: Between): number {
  const inside = levels.filter(({ at }) => at > from && at <= to).map(({ value }) => value);
  return Math.min(between(levels, from) ?? Number.NaN, ...inside);
}
