/** The minimum and maximum of a size or a cost. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The maximum of uint64, at which sums and products saturate. */
export const unbounded = 2 ** 64;

/** Any size. */
export const unknown: Range = { min: 0, max: unbounded };

/** Exactly one value. */
export function fixed(value: number): Range {
  return { min: value, max: value };
}

export function add(...ranges: readonly Range[]): Range {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min += range.min;
    max += range.max;
  }
  return { min: Math.min(min, unbounded), max: Math.min(max, unbounded) };
}

export function multiply(a: Range, b: Range): Range {
  return { min: Math.min(a.min * b.min, unbounded), max: Math.min(a.max * b.max, unbounded) };
}

/** Multiplies by a factor and rounds up. */
export function scale({ min, max }: Range, factor: number): Range {
  return {
    min: Math.min(Math.ceil(min * factor), unbounded),
    max: Math.min(Math.ceil(max * factor), unbounded),
  };
}

/** The smallest range that contains both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
