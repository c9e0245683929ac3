import type { Bar } from "./timeline-scale.ts";

/** Left of the bars. */
export const labelWidth = 260;

interface LaneBarProps<Item> {
  readonly bar: Bar<Item>;
  readonly look: string;
  readonly label: string;
  /** Shown where there is space for it. */
  readonly sign: string;
  readonly chosen: Item | undefined;
  readonly onChoose: (bar: Bar<Item>) => void;
}

/** What one thing took in time, or several that are too close to be told apart. */
export function LaneBar<Item>({ bar, look, label, sign, chosen, onChoose }: LaneBarProps<Item>) {
  return (
    <button
      type="button"
      class={`bar ${look}`}
      aria-pressed={chosen !== undefined && bar.items.includes(chosen)}
      aria-label={label}
      style={{
        left: `${labelWidth + Math.max(0, bar.left)}px`,
        width: `${bar.width + Math.min(0, bar.left)}px`,
      }}
      onClick={() => onChoose(bar)}
    >
      {bar.width > 16 && sign}
    </button>
  );
}
