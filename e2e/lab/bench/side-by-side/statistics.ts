export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** The median ratio of ours to theirs, with its range: `0.85 (0.80 to 0.93)`. */
export function describeRatios(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ours.map((value, at) => value / theirs[at]!);
  const [median, least, most] = [percentile(ratios, 50), Math.min(...ratios), Math.max(...ratios)];
  return `${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}
