/** Formats indexes as in a Job's status: `1,3-5,7`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const ranges: [first: number, last: number][] = [];
  for (const index of sorted) {
    const range = ranges.at(-1);
    if (range && index === range[1] + 1) range[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(formatRange).join(",");
}

/** Parses what `formatIndexes` returns. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const range of (text ?? "").split(",")) {
    const [first = NaN, last = first] = range.split("-").map((bound) => Number.parseInt(bound, 10));
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

function formatRange([first, last]: readonly [number, number]): string {
  if (first === last) return String(first);
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
}
