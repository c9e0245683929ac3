import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Feed } from "../feed/feed.ts";
import { Actions } from "./actions.tsx";
import { FindingsView } from "./findings-view.tsx";
import { LogView } from "./log-view.tsx";
import { MomentBar } from "./moment-bar.tsx";
import { NumbersView } from "./numbers-view.tsx";
import { ObjectsView } from "./objects-view.tsx";
import { atFirst, Context, type Shown, type View, views } from "./shown.ts";
import { TimelineView } from "./timeline-view.tsx";
import { useFindings } from "./use-findings.ts";

const titles: Readonly<Record<View, string>> = {
  objects: "Objects",
  timeline: "Reconciles",
  numbers: "Numbers",
  findings: "Findings",
  log: "Log",
};

/** The whole page. */
export function Page({ feed }: { readonly feed: Feed }) {
  const [, setTold] = useState(0);
  const [shown, setShown] = useState<Shown>(atFirst);
  useEffect(() => feed.subscribe(() => setTold((count) => count + 1)), [feed]);
  const show = useCallback((change: Partial<Shown>) => setShown((before) => ({ ...before, ...change })), []);
  const moment = shown.moment ?? feed.history.to;
  const findings = useFindings(feed, shown.moment);
  const context = useMemo(() => ({ feed, shown, show, moment }), [feed, shown, show, moment]);
  const CurrentView = {
    objects: ObjectsView,
    timeline: TimelineView,
    numbers: NumbersView,
    findings: FindingsView,
    log: LogView,
  }[shown.view];
  return (
    <Context.Provider value={context}>
      <header>
        <h1>{feed.session?.project ?? "tsbuilder dev"}</h1>
        <State feed={feed} />
        <nav aria-label="Views">
          {views.map((view) => (
            <button
              type="button"
              key={view}
              aria-current={shown.view === view ? "page" : undefined}
              onClick={() => show({ view })}
            >
              {titles[view]}
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
        <CurrentView />
      </main>
    </Context.Provider>
  );
}

const states: Readonly<Record<Feed["state"], string>> = {
  loading: "loading",
  live: "live",
  ended: "recorded",
  disconnected: "dev is not running",
  refused: "this address has expired: open the one that tsbuilder prints",
};

function State({ feed }: { readonly feed: Feed }) {
  return (
    <p class={`state ${feed.state}`} role="status">
      {states[feed.state]}
      {feed.history.isFull && ", the record is full"}
    </p>
  );
}
