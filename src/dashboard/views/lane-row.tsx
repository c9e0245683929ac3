import type { Reconcile } from "../history/history.ts";
import { LaneBar, labelWidth } from "./lane-bar.tsx";
import { outcomes, outcomeSigns } from "./outcomes.ts";
import { duration, timeOfDay } from "./times.ts";
import type { Bar, Lane } from "./timeline-scale.ts";

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
          <LaneBar
            key={bar.items[0]!.reconcileID}
            bar={bar}
            look={worst.outcome}
            label={labelOf(bar, worst)}
            sign={outcomeSigns[worst.outcome]}
            chosen={chosen}
            onChoose={onChoose}
          />
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
