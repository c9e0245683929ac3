import type { IntOrString } from "@tsbuilder/apimachinery/meta";

/** Resolves a number, or a percentage of a total such as `25%`; 0 for any other text. */
export function scaledCount(count: IntOrString, total: number, round: (share: number) => number): number {
  if (typeof count === "number") return count;
  const percent = Number.parseInt(count, 10);
  return Number.isNaN(percent) ? 0 : round((percent * total) / 100);
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Keeps the counts that are not zero: built-in kinds omit the others from their status. */
export function positiveCounts<K extends string>(
  counts: Readonly<Record<K, number>>,
): { [key in K]?: number } {
  const kept = Object.entries<number>(counts).filter(([, count]) => count > 0);
  return Object.fromEntries(kept) as { [key in K]?: number };
}
