import { useMemo, useRef, useState } from "preact/hooks";
import type { RefusedActionError } from "../feed/feed.ts";
import { countUntil } from "../../dev/record/count-until.ts";
import { type History, revisionAt } from "../history/history.ts";
import { Problem } from "./messages.tsx";
import { usePage } from "./shown.ts";
import { duration, timeOfDay } from "./texts.ts";

/** The time in milliseconds that the bar shows while it follows the session. */
const lastMinutes = 10 * 60_000;

/** The bar that moves through the time of the session, below a strip of its reconciles. */
export function MomentBar() {
  const { feed, shown, show, moment } = usePage();
  const { from: first, to } = feed.history;
  const [isWhole, setWhole] = useState(false);
  if (!Number.isFinite(first)) return <section class="moment-bar" aria-label="Time" />;
  const isLast = shown.moment === undefined;
  const isLong = to - first > lastMinutes;
  const from = isLong && !isWhole && moment > to - lastMinutes ? to - lastMinutes : first;
  const step = (by: 1 | -1): void => {
    const next = feed.history.nextMoment(moment, by);
    if (next === undefined && by === -1) return;
    show({ moment: next === undefined || next >= to ? undefined : next });
  };
  return (
    <section class="moment-bar" aria-label="Time">
      <button type="button" class="quiet" onClick={() => step(-1)} aria-label="One change back">
        ◀
      </button>
      <div class="strip-box">
        <Strip from={from} to={to} />
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
      </div>
      <button
        type="button"
        class="quiet"
        onClick={() => step(1)}
        aria-label="One change forward"
        disabled={isLast}
      >
        ▶
      </button>
      {isLong && (
        <label class="dim">
          <input
            type="checkbox"
            checked={isWhole}
            onChange={({ currentTarget }) => setWhole(currentTarget.checked)}
          />
          whole session
        </label>
      )}
      <output>
        {isLast ? "now" : `${timeOfDay(moment)}, ${duration(to - moment)} before the last change`}
      </output>
      {!isLast && (
        <button type="button" onClick={() => show({ moment: undefined }, true)}>
          Back to now
        </button>
      )}
      {feed.actions.includes("restore") && <RestoreButton isLast={isLast} />}
    </section>
  );
}

/** The number of columns of the strip, and its height in pixels. */
const [columns, height] = [160, 22];

/** How many reconciles ended in each part of a time; those that failed are drawn apart. */
function Strip({ from, to }: { readonly from: number; readonly to: number }) {
  const { reconciles } = usePage().feed.history;
  const bars = useMemo(() => {
    const found = Array.from({ length: columns }, () => ({ all: 0, failed: 0 }));
    const scale = columns / Math.max(1, to - from);
    for (let at = countUntil(reconciles, (one) => one.to < from); at < reconciles.length; at++) {
      const { to: end, outcome } = reconciles[at]!;
      const bar = found[Math.min(columns - 1, Math.max(0, Math.floor((end - from) * scale)))]!;
      bar.all++;
      if (outcome === "error" || outcome === "terminal") bar.failed++;
    }
    return found;
  }, [reconciles, reconciles.length, from, to]);
  const sum = (name: "all" | "failed"): number => bars.reduce((total, bar) => total + bar[name], 0);
  // Logarithmic: a single failure must be seen beside a hot loop.
  const most = Math.log2(1 + Math.max(1, ...bars.map(({ all }) => all)));
  const size = (count: number): number =>
    count === 0 ? 0 : Math.max(2, (Math.log2(1 + count) / most) * height);
  return (
    <svg
      class="strip"
      role="img"
      aria-label={`${sum("all")} reconciles since ${timeOfDay(from).slice(0, 8)}, ${sum("failed")} of them failed`}
      viewBox={`0 0 ${columns} ${height}`}
      preserveAspectRatio="none"
    >
      {bars.map(({ all, failed }, x) => (
        <>
          {all > failed && <rect x={x} width={0.8} y={height - size(all)} height={size(all)} />}
          {failed > 0 && (
            <rect class="failed" x={x} width={0.8} y={height - size(failed)} height={size(failed)} />
          )}
        </>
      ))}
    </svg>
  );
}

/** Brings the cluster back to the moment that is shown, after a question, and says what that did. */
function RestoreButton({ isLast }: { readonly isLast: boolean }) {
  const { feed, show, moment } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<{ readonly done: string } | { readonly error: RefusedActionError }>();
  const ask = (): void => {
    setAsked(describeReturn(feed.history, moment));
    setTold(undefined);
    dialog.current?.showModal();
  };
  const restore = async (): Promise<void> => {
    dialog.current?.close();
    setBusy(true);
    try {
      await feed.act("restore", { at: new Date(moment).toISOString() });
      show({ moment: undefined });
      setTold({ done: `went back to ${timeOfDay(moment)}: ${asked}` });
    } catch (error) {
      setTold({ error: error as RefusedActionError });
    }
    setBusy(false);
  };
  return (
    <>
      {!isLast && (
        <button type="button" disabled={isBusy} onClick={ask}>
          {isBusy ? "Going back" : "Go back to here"}
        </button>
      )}
      <span role="status">{told && ("done" in told ? told.done : <Problem problem={told.error} />)}</span>
      <dialog ref={dialog} aria-labelledby="restore-question">
        <h2 id="restore-question">Go back to {timeOfDay(moment)}?</h2>
        <p>The cluster becomes what it was then ({asked}), and the operator starts again.</p>
        <p class="buttons">
          <button type="button" onClick={() => void restore()}>
            Go back
          </button>
          <button type="button" autoFocus onClick={() => dialog.current?.close()}>
            Stay
          </button>
        </p>
      </dialog>
    </>
  );
}

/** Says what differs between now and a moment: `2 objects return, 1 goes, 3 change`. */
function describeReturn({ tracks }: History, moment: number): string {
  let [returning, going, changing] = [0, 0, 0];
  for (const track of tracks.values()) {
    const [then, now] = [revisionAt(track, moment), revisionAt(track, Infinity)];
    if (then === now) continue;
    if (now === undefined) returning++;
    else if (then === undefined) going++;
    else changing++;
  }
  return `${returning} objects return, ${going} go, ${changing} change`;
}
