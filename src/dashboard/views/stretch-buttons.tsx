import type { StretchInUse } from "./use-stretch.ts";

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
