import type { Call } from "../history/history.ts";
import { verdictOf, verdicts, webhookName } from "../history/verdict.ts";
import { operationOf } from "./call-line.tsx";
import { LaneBar, labelWidth } from "./lane-bar.tsx";
import { duration, timeOfDay } from "./times.ts";
import type { Bar, CallLane } from "./timeline-scale.ts";
import { verdictSigns } from "./verdict-signs.ts";

interface CallLaneRowProps {
  readonly lane: CallLane;
  readonly bars: readonly Bar<Call>[];
  readonly chosen: Call | undefined;
  readonly onChoose: (bar: Bar<Call>) => void;
}

/** A webhook and an object, with bars for the calls. */
export function CallLaneRow({
  lane: { webhook, shortName, resource, key },
  bars,
  chosen,
  onChoose,
}: CallLaneRowProps) {
  return (
    <div class="lane">
      <span
        class="lane-name"
        title={`${webhook} ${resource} ${key}`}
        style={{ width: `${labelWidth - 10}px` }}
      >
        {key} <span class="dim">{shortName}</span>
      </span>
      {bars.map((bar) => {
        const verdict = worstOf(bar);
        return (
          <LaneBar
            key={bar.items[0]!.uid}
            bar={bar}
            look={`call ${verdict}`}
            label={labelOf(bar, verdict)}
            sign={verdictSigns[verdict]}
            chosen={chosen}
            onChoose={onChoose}
          />
        );
      })}
    </div>
  );
}

function labelOf({ items: [first, ...more] }: Bar<Call>, verdict: string): string {
  const { from, to } = first!;
  if (more.length > 0) return `${more.length + 1} calls of ${webhookName(first!)}, the worst: ${verdict}`;
  return `${timeOfDay(from)} ${webhookName(first!)} ${operationOf(first!)}: ${verdict} in ${duration(to - from)}`;
}

function worstOf({ items }: Bar<Call>) {
  const worst = Math.max(...items.map((call) => verdicts.indexOf(verdictOf(call))));
  return verdicts[worst]!;
}
