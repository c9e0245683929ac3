/** A place in the timeline, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Leads from what came first to what it led to. */
export interface Arrow {
  readonly start: Point;
  readonly end: Point;
}

/** Arrows from the ends of reconciles to the starts of those that they led to. */
export function Arrows({ arrows }: { readonly arrows: readonly Arrow[] }) {
  return (
    <svg class="arrows" aria-hidden="true">
      <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path d="M0 0 8 4 0 8z" />
      </marker>
      {arrows.map(({ start, end }) => (
        <path
          key={`${start.x} ${start.y}`}
          class="arrow"
          marker-end="url(#head)"
          d={`M${start.x} ${start.y} C${start.x + 30} ${start.y + 20} ${end.x - 30} ${end.y + 20} ${end.x} ${end.y}`}
        />
      ))}
    </svg>
  );
}
