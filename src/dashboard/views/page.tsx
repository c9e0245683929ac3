// The views of the page. Begin here: `Page` shows one view at a time, from the folders `objects`, `timeline` and `numbers`, the
// findings (below) or the log (`lines`). `shown` has the user's choices; the other files are parts that several views use.

import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Feed, RefusedActionError } from "../feed/feed.ts";
import { Actions } from "./actions.tsx";
import { LogView } from "./lines.tsx";
import { ObjectsView } from "./objects/objects-view.tsx";
import { Context, type Shown, type View, initialChoices, usePage, views } from "./shown.ts";
import { TimelineView } from "./timeline/timeline-view.tsx";
import { Empty, Link, Problem } from "./messages.tsx";
import { duration, matcher, timeOfDay } from "./texts.ts";
import type { Finding } from "../history/findings/findings.ts";
import { NumbersView } from "./numbers/numbers-view.tsx";

/** The page: a header, the bar of time, and one of the views. The user's choices are in `Shown`, which all views get. */
export function Page({ feed }: { readonly feed: Feed }) {
  const [, setChanges] = useState(0);
  const [shown, setShown] = useState<Shown>(initialChoices);
  useEffect(() => feed.subscribe(() => setChanges((count) => count + 1)), [feed]);
  const show = useCallback((change: Partial<Shown>) => setShown((before) => ({ ...before, ...change })), []);
  const moment = shown.moment ?? feed.history.to;
  const findings = useFindings(feed, shown.moment);
  const context = useMemo(() => ({ feed, shown, show, moment }), [feed, shown, show, moment]);
  const { Content } = viewParts[shown.view];
  return (
    <Context.Provider value={context}>
      <header>
        <h1>{feed.session?.project ?? "tsbuilder dev"}</h1>
        <ConnectionState feed={feed} />
        <nav aria-label="Views">
          {views.map((view) => (
            <button
              type="button"
              key={view}
              aria-current={shown.view === view ? "page" : undefined}
              onClick={() => show({ view })}
            >
              {viewParts[view].title}
              {view === "findings" && findings.length > 0 && <span class="count">{findings.length}</span>}
            </button>
          ))}
        </nav>
        <label class="filter">
          Filter
          <input
            type="search"
            value={shown.filter}
            onInput={({ currentTarget }) => show({ filter: currentTarget.value })}
          />
        </label>
        <Actions />
      </header>
      <MomentBar />
      <main>
        <Content />
      </main>
    </Context.Provider>
  );
}

/** Returns the findings that began before a moment. Default: now, at which a stuck deletion may have become one. */
function useFindings({ findings, history, state }: Feed, moment: number | undefined): readonly Finding[] {
  const now = useNow(state === "live" && moment === undefined);
  return useMemo(
    () => findings.list(now).filter(({ from }) => moment === undefined || from <= moment),
    [
      findings,
      history.written,
      history.reconciles.length,
      history.calls.length,
      history.samples.length,
      moment,
      now,
    ],
  );
}

const nowInterval = 5000;

/** Returns the time, updated every few seconds; undefined if it is not needed. */
function useNow(isWanted: boolean): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => setNow(Date.now()), nowInterval);
    return () => clearInterval(timer);
  }, [isWanted]);
  return isWanted ? now : undefined;
}

const viewParts: Readonly<Record<View, { readonly title: string; readonly Content: () => JSX.Element }>> = {
  objects: { title: "Objects", Content: ObjectsView },
  timeline: { title: "Reconciles", Content: TimelineView },
  numbers: { title: "Numbers", Content: NumbersView },
  findings: { title: "Findings", Content: FindingsView },
  log: { title: "Log", Content: LogView },
};

const stateTexts: Readonly<Record<Feed["state"], string>> = {
  loading: "loading",
  live: "live",
  ended: "recorded",
  disconnected: "dev is not running",
  refused: "this address has expired: open the one that tsbuilder prints",
};

function ConnectionState({ feed }: { readonly feed: Feed }) {
  return (
    <p class={`state ${feed.state}`} role="status">
      {stateTexts[feed.state]}
      {feed.history.isFull && ", the record is full"}
    </p>
  );
}

/** The bar that moves through the time of the session. */
function MomentBar() {
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
      {feed.actions.includes("restore") && <RestoreButton isLast={isLast} />}
    </section>
  );
}

function RestoreButton({ isLast }: { readonly isLast: boolean }) {
  const { feed, show, moment } = usePage();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ readonly moment: number; readonly error: RefusedActionError }>();
  const restore = async (): Promise<void> => {
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
        onClick={() => void restore()}
      >
        {isBusy ? "Going back" : "Go back to here"}
      </button>
      <span role="status">{problem?.moment === moment && <Problem problem={problem.error} />}</span>
    </>
  );
}

/** Findings with a link to the view of numbers. */
const numericKinds: readonly Finding["kind"][] = ["blocked event loop", "growing queue", "growing memory"];

/** The milliseconds before and after the finding that the linked view shows. */
const contextTime = 10_000;

/** The findings, with links to the objects, requests and calls that they are about. */
function FindingsView() {
  const { feed, shown } = usePage();
  const all = useFindings(feed, shown.moment);
  const matches = matcher(shown.filter);
  const found = all.filter(({ title, text }) => matches(`${title} ${text}`));
  if (found.length === 0) return <Empty isFiltered={all.length > 0}>Nothing looks wrong.</Empty>;
  return (
    <ul class="findings">
      {found.map(({ kind, title, text, from, at, places, requests, call }) => (
        <li key={`${kind} ${title} ${from}`}>
          <h2>{title}</h2>
          <p>{text}</p>
          <p>
            <Link to={{ moment: from }}>
              <time>{timeOfDay(from)}</time>
            </Link>
            {at > from && ` to ${timeOfDay(at)}`}
            {call !== undefined && (
              <Link isListed to={{ view: "timeline", callID: call }}>
                a call of it
              </Link>
            )}
            {requests.map(({ controller, request }) => (
              <Link
                isListed
                key={`${controller} ${request}`}
                to={{ view: "timeline", callID: undefined, filter: `${controller} ${request}` }}
              >
                reconciles of {controller} {request}
              </Link>
            ))}
            {numericKinds.includes(kind) && (
              <Link
                isListed
                to={{
                  view: "numbers",
                  filter: "",
                  moment: at,
                  stretch: { from: from - contextTime, to: at + contextTime },
                }}
              >
                numbers at that time
              </Link>
            )}
            {places
              .filter((place) => feed.history.tracks.has(place))
              .map((place) => (
                <Link isListed key={place} to={{ view: "objects", tab: "changes", place }}>
                  {place}
                </Link>
              ))}
          </p>
        </li>
      ))}
    </ul>
  );
}
