import type { ComponentChildren } from "preact";

/** So many are listed at the most. */
const most = 100;

interface MergedProps<Item> {
  readonly items: readonly Item[];
  readonly noun: string;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ComponentChildren;
}

/** What one bar stands for, where it stands for several. */
export function Merged<Item>({ items, noun, keyOf, children }: MergedProps<Item>) {
  if (items.length === 0) return null;
  return (
    <details>
      <summary>
        {items.length} {noun} stand here
      </summary>
      <ul class="reconciles">
        {items.slice(0, most).map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
    </details>
  );
}
