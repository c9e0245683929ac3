/** Keeps the counts that are not zero: built-in kinds omit the others from their status. */
export function positiveCounts<K extends string>(
  counts: Readonly<Record<K, number>>,
): { [key in K]?: number } {
  const kept = Object.entries<number>(counts).filter(([, count]) => count > 0);
  return Object.fromEntries(kept) as { [key in K]?: number };
}
