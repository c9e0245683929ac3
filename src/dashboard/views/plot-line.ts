import { countUntil } from "../history/history.ts";
import type { Sample } from "../history/samples.ts";

/** A stretch of time that is drawn over so many pixels. */
export interface Drawn {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  /** Nothing is known of later times. */
  readonly until: number;
}

/** The highest value in each pixel's time, however many samples it has; NaN where nothing is known. */
export function peaks(
  samples: readonly Sample[],
  value: (sample: Sample) => number,
  { from, to, width, until }: Drawn,
): number[] {
  const columns = Math.max(1, Math.floor(width));
  const step = (to - from) / columns;
  let next = countUntil(samples, ({ at }) => at < from);
  let last = next === 0 ? Number.NaN : value(samples[next - 1]!);
  return Array.from({ length: columns }, (_, column) => {
    if (from + column * step > until) return Number.NaN;
    const end = column === columns - 1 ? to : from + (column + 1) * step;
    let most = last;
    for (; next < samples.length && samples[next]!.at <= end; next++) {
      last = value(samples[next]!);
      most = Number.isNaN(most) ? last : Math.max(most, last);
    }
    return most;
  });
}

/** The highest of all, at least 1. */
export function mostOf(lines: readonly (readonly number[])[]): number {
  let most = 1;
  for (const line of lines) for (const value of line) if (value > most) most = value;
  return most;
}

/** The path of an SVG through the values of pixels; it is level until a value changes. */
export function pathOf(values: readonly number[], most: number, height: number): string {
  const path: string[] = [];
  let before = Number.NaN;
  let end = 0;
  for (const [x, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    end = x + 1;
    if (value === before) continue;
    const y = Math.round((height - (value / most) * height) * 10) / 10;
    path.push(Number.isNaN(before) ? `M${x} ${y}` : `H${x}V${y}`);
    before = value;
  }
  if (path.length > 0) path.push(`H${end}`);
  return path.join("");
}
