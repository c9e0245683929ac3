import { type MutableRef, useLayoutEffect, useRef, useState } from "preact/hooks";

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
