import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface RowsProps<T> {
  readonly items: readonly T[];
  /** The height of each row in pixels. */
  readonly height: number;
  readonly keyOf: (item: T, index: number) => string;
  readonly children: (item: T, index: number) => ComponentChildren;
  /** The index of a row that is scrolled into view. */
  readonly active?: number | undefined;
  /** Scrolls to the end when rows are added, unless the user scrolled up. */
  readonly isFollowing?: boolean;
  /** Drawn over all rows, in their coordinates. */
  readonly overlay?: ComponentChildren;
  readonly attributes?: JSX.HTMLAttributes<HTMLDivElement>;
}

/** The number of rows that are drawn above and below the visible ones. */
const spare = 10;

/** A list that draws only its visible rows, so that it may have any number of rows. */
export function Rows<T>({
  items,
  height,
  keyOf,
  children,
  active,
  isFollowing,
  overlay,
  attributes,
}: RowsProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [visible, setVisible] = useState(600);
  const isAtEnd = useRef(true);

  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setVisible(box.current?.clientHeight ?? 0));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (isFollowing && isAtEnd.current) box.current!.scrollTop = box.current!.scrollHeight;
  }, [isFollowing, items.length]);
  useEffect(() => {
    const { current } = box;
    if (active === undefined || current === null) return;
    if (active * height < current.scrollTop) current.scrollTop = active * height;
    else if ((active + 1) * height > current.scrollTop + current.clientHeight)
      current.scrollTop = (active + 1) * height - current.clientHeight;
  }, [active, height]);

  const first = Math.max(0, Math.floor(top / height) - spare);
  const last = Math.min(items.length, Math.ceil((top + visible) / height) + spare);
  return (
    <div
      {...attributes}
      class="rows"
      ref={box}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight > scrollHeight - height;
        setTop(scrollTop);
      }}
    >
      <div class="rows-all" role="presentation" style={{ height: `${items.length * height}px` }}>
        {items.slice(first, last).map((item, at) => (
          <div
            class="row"
            role="presentation"
            key={keyOf(item, first + at)}
            style={{ top: `${(first + at) * height}px`, height: `${height}px` }}
          >
            {children(item, first + at)}
          </div>
        ))}
        {overlay}
      </div>
    </div>
  );
}
