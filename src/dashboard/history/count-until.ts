/**
 * Returns the number of leading items for which a predicate is true, by binary search: the predicate must be false for
 * all items after the first one for which it is false.
 */
export function countUntil<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
