import { usePage } from "./shown.ts";

/** The stretch of time that views in time draw, and how it is changed. */
export interface StretchInUse {
  readonly left: number;
  readonly right: number;
  readonly isWhole: boolean;
  /** Below 1 it shows less, around a moment. */
  readonly zoom: (factor: number) => void;
  /** By this part of what is seen. */
  readonly move: (part: number) => void;
  readonly showAll: () => void;
}

/** The same stretch in all views; by default, the whole session. It is zoomed around the middle, or another moment. */
export function useStretch(around?: number): StretchInUse {
  const { feed, shown, show } = usePage();
  const { from, to } = feed.history;
  const { from: left, to: right } = shown.stretch ?? { from, to: Math.max(to, from + 1000) };
  return {
    left,
    right,
    isWhole: shown.stretch === undefined,
    zoom: (factor) => {
      const middle = around ?? (left + right) / 2;
      const half = Math.max(5, ((right - left) * factor) / 2);
      const isAll = factor > 1 && half * 2 >= to - from;
      show({ stretch: isAll ? undefined : { from: middle - half, to: middle + half } });
    },
    move: (part) => {
      const by = (right - left) * part;
      show({ stretch: { from: left + by, to: right + by } });
    },
    showAll: () => show({ stretch: undefined }),
  };
}
