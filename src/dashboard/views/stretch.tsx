import { type MutableRef, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePage } from "./shown.ts";

/** Zooms and moves what views in time draw. */
export function StretchButtons({ stretch }: { readonly stretch: StretchInUse }) {
  return (
    <>
      <button type="button" onClick={() => stretch.zoom(0.5)}>
        Zoom in
      </button>
      <button type="button" onClick={() => stretch.zoom(2)}>
        Zoom out
      </button>
      <button type="button" disabled={stretch.isWhole} onClick={() => stretch.showAll()}>
        Whole session
      </button>
      <button type="button" onClick={() => stretch.move(-0.5)}>
        Earlier
      </button>
      <button type="button" onClick={() => stretch.move(0.5)}>
        Later
      </button>
    </>
  );
}

/** The stretch of time that views in time draw, and how it is changed. */
interface StretchInUse {
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

/** An element to be, and its width in pixels. */
export function useWidth<E extends HTMLElement>(): readonly [MutableRef<E | null>, number] {
  const box = useRef<E>(null);
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current?.clientWidth ?? 800));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
