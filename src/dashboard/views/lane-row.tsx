import type { Reconcile } from "../history/history.ts";
import { outcomes, outcomeSigns } from "./outcomes.ts";
import { duration, timeOfDay } from "./times.ts";
import type { Bar, Lane } from "./timeline-scale.ts";

/** Left of the bars. */
export const labelWidth = 260;

interface LaneRowProps {
  readonly lane: Lane;
  readonly bars: readonly Bar<Reconcile>[];
  readonly chosen: Reconcile | undefined;
  readonly onChoose: (bar: Bar<Reconcile>) => void;
}

/** A request of a controller, with bars for its reconciles. */
export function LaneRow({ lane: { controller, request }, bars, chosen, onChoose }: LaneRowProps) {
  return (
    <div class="lane">
      <span class="lane-name" title={`${controller} ${request}`} style={{ width: `${labelWidth - 10}px` }}>
        <span class="dim">{controller}</span> {request}
      </span>
      {bars.map((bar) => {
        const worst = worstOf(bar);
        return (
          <button
            type="button"
            key={bar.items[0]!.reconcileID}
            class={`bar ${worst.outcome}`}
            aria-pressed={chosen !== undefined && bar.items.includes(chosen)}
            aria-label={labelOf(bar, worst)}
            style={{
              left: `${labelWidth + Math.max(0, bar.left)}px`,
              width: `${bar.width + Math.min(0, bar.left)}px`,
            }}
            onClick={() => onChoose(bar)}
          >
            {bar.width > 16 && outcomeSigns[worst.outcome]}
          </button>
        );
      })}
    </div>
  );
}

function labelOf({ items: reconciles }: Bar<Reconcile>, { outcome }: Reconcile): string {
  const [first] = reconciles;
  const { controller, request, from, to } = first!;
  if (reconciles.length > 1)
    return `${reconciles.length} reconciles of ${controller} ${request}, the worst: ${outcome}`;
  return `${timeOfDay(from)} ${controller} ${request}: ${outcome} in ${duration(to - from)}`;
}

function worstOf({ items: reconciles }: Bar<Reconcile>): Reconcile {
  return reconciles.reduce((worst, one) =>
    outcomes.indexOf(one.outcome) > outcomes.indexOf(worst.outcome) ? one : worst,
  );
}
