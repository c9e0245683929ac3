import { type MutableRef, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePage } from "./shown.ts";

/** The stretch of time that the timeline and the numbers draw, and its changes. */
interface SharedStretch {
  readonly left: number;
  readonly right: number;
  readonly isWhole: boolean;
  /** Multiplies the length of the stretch. */
  readonly zoom: (factor: number) => void;
  /** Moves the stretch by a part of its length; negative to earlier times. */
  readonly move: (part: number) => void;
  readonly showAll: () => void;
}

/** Returns the stretch, which all views share. Default: the whole session. Zooming centers it on its middle, or on `center`. */
export function useStretch(center?: number): SharedStretch {
  const { feed, shown, show } = usePage();
  const { from, to } = feed.history;
  const { from: left, to: right } = shown.stretch ?? { from, to: Math.max(to, from + 1000) };
  return {
    left,
    right,
    isWhole: shown.stretch === undefined,
    zoom: (factor) => {
      const middle = center ?? (left + right) / 2;
      const half = Math.max(leastStretch, (right - left) * factor) / 2;
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

/** The shortest stretch, in milliseconds. */
const leastStretch = 10;

/** Buttons that zoom and move the stretch. */
export function StretchButtons({ stretch }: { readonly stretch: SharedStretch }) {
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

/** Returns a ref for the element that draws the stretch, and its width in pixels: 800 until the browser has laid it out. */
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
