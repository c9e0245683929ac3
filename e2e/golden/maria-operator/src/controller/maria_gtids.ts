/*
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * A set of transactions: for each origin, which is a server's uuid and perhaps a tag, the numbers from first to last. MySQL
 * writes it as `3e11fa47-…:1-5:7, 9f98c20a-…:1-3`.
 */
export type Gtids = ReadonlyMap<string, readonly Interval[]>;

type Interval = readonly [first: number, last: number];

/** No transactions. */
export const noGtids: Gtids = new Map();

/** Reads what MySQL prints, over several lines or in one. */
export function parseGtids(text: string): Gtids {
  const intervals: [string, Interval][] = [];
  for (const part of text.split(",")) {
    const [uuid = "", ...words] = part.trim().toLowerCase().split(":");
    let origin = uuid;
    for (const word of words) {
      const numbers = /^(\d+)(?:-(\d+))?$/.exec(word);
      if (numbers) intervals.push([origin, [Number(numbers[1]), Number(numbers[2] ?? numbers[1])]]);
      else origin = `${uuid}:${word}`;
    }
  }
  return normalize(intervals);
}

/** Writes a set as MySQL reads it. */
export function formatGtids(gtids: Gtids): string {
  const parts = [...gtids].map(([origin, intervals]) =>
    [
      origin,
      ...intervals.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)),
    ].join(":"),
  );
  return parts.sort().join(",");
}

/** The transactions of any of the sets. */
export function union(...sets: readonly Gtids[]): Gtids {
  return normalize(
    sets.flatMap((set) =>
      [...set].flatMap(([origin, all]) => all.map((one) => [origin, one] as const)),
    ),
  );
}

/** The transactions of the first set that are in none of the others. */
export function subtract(gtids: Gtids, ...others: readonly Gtids[]): Gtids {
  const without = union(...others);
  const left: [string, Interval][] = [];
  for (const [origin, intervals] of gtids) {
    for (const [first, last] of intervals) {
      let next = first;
      for (const [from, to] of without.get(origin) ?? []) {
        if (to < next || from > last) continue;
        if (from > next) left.push([origin, [next, from - 1]]);
        next = to + 1;
      }
      if (next <= last) left.push([origin, [next, last]]);
    }
  }
  return normalize(left);
}

/** Returns whether the first set has all transactions of the second. */
export function includes(gtids: Gtids, others: Gtids): boolean {
  return subtract(others, gtids).size === 0;
}

/** The number of transactions. */
export function count(gtids: Gtids): number {
  return [...gtids.values()].flat().reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Sorts the intervals of each origin, and joins those that touch. */
function normalize(all: Iterable<readonly [string, Interval]>): Gtids {
  const sorted = [...all].sort(([, [first]], [, [other]]) => first - other);
  const gtids = new Map<string, Interval[]>();
  for (const [origin, [first, last]] of sorted) {
    const intervals = gtids.get(origin) ?? [];
    const before = intervals.at(-1);
    if (before && first <= before[1] + 1) {
      intervals[intervals.length - 1] = [before[0], Math.max(before[1], last)];
    } else intervals.push([first, last]);
    gtids.set(origin, intervals);
  }
  return gtids;
}
