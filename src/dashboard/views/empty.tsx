import type { ComponentChildren } from "preact";

interface EmptyProps {
  /** Whether there is something that the filter hides. */
  readonly isFiltered: boolean;
  readonly children: ComponentChildren;
}

/** Stands where nothing is to be shown. */
export function Empty({ isFiltered, children }: EmptyProps) {
  return <p class="empty">{isFiltered ? "The filter hides everything." : children}</p>;
}
