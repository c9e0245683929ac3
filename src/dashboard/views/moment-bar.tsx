import { useState } from "preact/hooks";
import type { RefusedActionError } from "../feed/feed.ts";
import { Problem } from "./problem.tsx";
import { usePage } from "./shown.ts";
import { duration, timeOfDay } from "./times.ts";

/** Moves through the time of the session. */
export function MomentBar() {
  const { feed, shown, show, moment } = usePage();
  const { from, to } = feed.history;
  if (!Number.isFinite(from)) return <section class="moment-bar" aria-label="Time" />;
  const isLast = shown.moment === undefined;
  const step = (by: 1 | -1): void => {
    const next = feed.history.nextMoment(moment, by);
    if (next === undefined && by === -1) return;
    show({ moment: next === undefined || next >= to ? undefined : next });
  };
  return (
    <section class="moment-bar" aria-label="Time">
      <button type="button" onClick={() => step(-1)} aria-label="One change back">
        ◀
      </button>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={isLast ? "now" : timeOfDay(moment)}
        min={from}
        max={to}
        step={1}
        value={moment}
        onInput={({ currentTarget: { valueAsNumber } }) =>
          show({ moment: valueAsNumber >= to ? undefined : valueAsNumber })
        }
      />
      <button type="button" onClick={() => step(1)} aria-label="One change forward" disabled={isLast}>
        ▶
      </button>
      <output>
        {isLast ? "now" : `${timeOfDay(moment)}, ${duration(to - moment)} before the last change`}
      </output>
      <button type="button" disabled={isLast} onClick={() => show({ moment: undefined })}>
        Now
      </button>
      {feed.actions.includes("restore") && <GoBack isLast={isLast} />}
    </section>
  );
}

function GoBack({ isLast }: { readonly isLast: boolean }) {
  const { feed, show, moment } = usePage();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ readonly moment: number; readonly error: RefusedActionError }>();
  const goBack = async (): Promise<void> => {
    setBusy(true);
    try {
      await feed.act("restore", { at: new Date(moment).toISOString() });
      show({ moment: undefined });
    } catch (error) {
      setProblem({ moment, error: error as RefusedActionError });
    }
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        disabled={isLast || isBusy}
        title="Brings the cluster to the state of this moment, and starts the operator again"
        onClick={() => void goBack()}
      >
        {isBusy ? "Going back" : "Go back to here"}
      </button>
      <span role="status">{problem?.moment === moment && <Problem problem={problem.error} />}</span>
    </>
  );
}
