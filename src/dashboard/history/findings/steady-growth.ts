import { countUntil } from "../history.ts";

/** A number at a time in milliseconds. */
export interface Level {
  readonly at: number;
  readonly value: number;
}

/** What a level is between two that are known; undefined before the first. Levels are in the order of time. */
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
export const held: Between = (levels, moment) =>
  levels[countUntil(levels, ({ at }) => at <= moment) - 1]?.value;

/** A level moves evenly to the next one. */
export const even: Between = (levels, moment) => {
  const next = countUntil(levels, ({ at }) => at < moment);
  const [before, after] = [levels[next - 1], levels[next]];
  if (after === undefined || after.at === moment || before === undefined) {
    return after?.at === moment ? after.value : undefined;
  }
  return before.value + ((after.value - before.value) * (moment - before.at)) / (after.at - before.at);
};

/** Drops levels that no stretch of so many milliseconds needs that ends now or later, once they are more than the others. */
export function dropOlder(levels: Level[], now: number, stretch: number): void {
  const older = countUntil(levels, ({ at }) => at <= now - stretch);
  // What is left moves, so not each time.
  if (older - 1 > levels.length / 2) levels.splice(0, older - 1);
}

/** How many levels there are after a moment. */
export function countAfter(levels: readonly Level[], moment: number): number {
  return levels.length - countUntil(levels, ({ at }) => at <= moment);
}

/** NaN if the level at the beginning is not known, which is no growth to anything. */
function lowest(levels: readonly Level[], from: number, to: number, between: Between): number {
  let low = between(levels, from) ?? Number.NaN;
  const end = countUntil(levels, ({ at }) => at <= to);
  for (let index = countUntil(levels, ({ at }) => at <= from); index < end; index++)
    low = Math.min(low, levels[index]!.value);
  return low;
}
