import type { IntOrString } from "@tsbuilder/apimachinery/meta";

/** Resolves a number or a percentage of a total, such as `25%`. */
export function scaledCount(value: IntOrString, whole: number, round: (share: number) => number): number {
  if (typeof value === "number") return value;
  const percent = Number.parseInt(value, 10);
  return Number.isNaN(percent) ? 0 : round((percent * whole) / 100);
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
