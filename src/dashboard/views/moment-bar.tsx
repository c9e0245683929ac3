import { useState } from "preact/hooks";
import type { RefusedActionError } from "../feed/feed.ts";
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
    if (next !== undefined) show({ moment: next >= to ? undefined : next });
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
  const [problem, setProblem] = useState<RefusedActionError>();
  const goBack = async (): Promise<void> => {
    try {
      await feed.act("restore", { at: new Date(moment).toISOString() });
      setProblem(undefined);
      show({ moment: undefined });
    } catch (error) {
      setProblem(error as RefusedActionError);
    }
  };
  return (
    <>
      <button
        type="button"
        disabled={isLast}
        title="Brings the cluster to the state of this moment, and starts the operator again"
        onClick={() => void goBack()}
      >
        Go back to here
      </button>
      {problem && (
        <span class="problem" role="alert">
          {problem.message}
        </span>
      )}
    </>
  );
}
