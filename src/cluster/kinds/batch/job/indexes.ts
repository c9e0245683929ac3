/** The number of indexes in a string such as `1,3-5`, or why it is invalid. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let last = -1;
  let total = 0;
  for (const interval of text.split(",")) {
    const parts = interval.split("-");
    if (parts.length > 2) {
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    for (const part of parts) {
      if (!/^[+-]?\d+$/.test(part))
        return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
      if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`;
    }
    const [first, end = first] = parts.map(Number) as [number, number?];
    if (parts.length === 2 && first >= end) return nonIncreasing(first, end);
    if (last >= first) return nonIncreasing(last, first);
    total += end - first + 1;
    last = end;
  }
  return total;
}

function nonIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
