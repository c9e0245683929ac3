/** The least and the most that something can be: a size, or a cost. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Where uint64 ends; sums and products stay here instead of growing on. */
export const unbounded = 2 ** 64;

/** Anything at all. */
export const unknown: Range = { min: 0, max: unbounded };

/** Exactly this much. */
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

/** Scaled by a factor, and rounded up. */
export function scale({ min, max }: Range, factor: number): Range {
  return {
    min: Math.min(Math.ceil(min * factor), unbounded),
    max: Math.min(Math.ceil(max * factor), unbounded),
  };
}

/** What covers both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
