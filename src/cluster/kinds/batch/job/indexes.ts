/** Formats indexes as in a Job's status: `1,3-5,7`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const intervals: [first: number, last: number][] = [];
  for (const index of sorted) {
    const interval = intervals.at(-1);
    if (interval && index === interval[1] + 1) interval[1] = index;
    else intervals.push([index, index]);
  }
  return intervals.map(formatInterval).join(",");
}

type Interval = readonly [first: number, last: number];

function formatInterval([first, last]: Interval): string {
  if (first === last) return String(first);
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
}

/** Parses what `formatIndexes` returns. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const [first, last] of validIntervals(text ?? "", Infinity)) {
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** The number of indexes in a string such as `1,3-5`, or why it is invalid. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let previous = -1;
  let total = 0;
  for (const each of text.split(",")) {
    const interval = parseInterval(each, completions);
    if (typeof interval === "string") return interval;
    const [first, last] = interval;
    if (previous >= first) return nonIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

/** The first index that two strings have in common. Invalid intervals are skipped, since `countIndexes` rejects them. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  const [ours, theirs] = [validIntervals(a, completions), validIntervals(b, completions)];
  for (let [one, other] = [0, 0]; one < ours.length && other < theirs.length;) {
    const [[first, last], [start, end]] = [ours[one]!, theirs[other]!];
    if (first <= end && start <= last) return Math.max(first, start);
    if (first <= start) one++;
    else other++;
  }
  return undefined;
}

function validIntervals(text: string, completions: number): Interval[] {
  const intervals = text.split(",").map((each) => parseInterval(each, completions));
  return intervals.filter((each) => typeof each !== "string");
}

function parseInterval(text: string, completions: number): Interval | string {
  const bounds = text.split("-");
  if (bounds.length > 2)
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  for (const bound of bounds) {
    if (!/^\+?\d+$/.test(bound))
      return `cannot convert string to integer for index: ${JSON.stringify(bound)}`;
    if (Number(bound) >= completions) return `too large index: ${JSON.stringify(bound)}`;
  }
  const [first, last = first] = bounds.map(Number) as [number, number?];
  return bounds.length === 2 && first >= last ? nonIncreasing(first, last) : [first, last];
}

function nonIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
