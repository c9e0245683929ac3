// The views of the page. Begin here: `Page` shows one view at a time, from the folders `now`, `objects`, `timeline` and `numbers`,
// or the log (`lines`). `shown` has the user's choices, which are the page's address, too; the other files are parts that several
// views use. Why it looks as it does: DESIGN.md.

import type { ComponentType } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Feed } from "../feed/feed.ts";
import { type Health, type Problem, healthOf, problemsOf } from "../history/problems.ts";
import { Actions } from "./actions.tsx";
import { AddressBar, choicesOf } from "./address.ts";
import { LogView } from "./lines.tsx";
import { MomentBar } from "./moment-bar.tsx";
import { NowView, countTones } from "./now/now-view.tsx";
import { NumbersView } from "./numbers/numbers-view.tsx";
import { ObjectsView } from "./objects/objects-view.tsx";
import { Keys } from "./palette.tsx";
import { Context, type PageContext, type Shown, type View, views } from "./shown.ts";
import { grouped } from "./texts.ts";
import { TimelineView } from "./timeline/timeline-view.tsx";

/** The page: a header, the bar of time, and one of the views. The user's choices are in `Shown`, which all views get. */
export function Page({ feed }: { readonly feed: Feed }) {
  const [, setChanges] = useState(0);
  useEffect(() => feed.subscribe(() => setChanges((count) => count + 1)), [feed]);
  const [shown, show] = useAddress();
  const { history } = feed;
  const moment = shown.moment ?? history.to;
  // What was just recorded is later than the last look at the clock, and what it shows has begun.
  const now = Math.max(moment, useNow(feed.state === "live" && shown.moment === undefined) ?? moment);
  const size = [
    history,
    history.written,
    history.reconciles.length,
    history.calls.length,
    history.samples.length,
  ];
  const health = useMemo(() => healthOf(history, moment), [...size, moment]);
  const problems = useMemo(() => {
    const begun = feed.findings.filter(({ from }) => from <= now);
    return problemsOf(history, health, begun, now);
  }, [health, feed.findings, now]);
  const place = shown.place ?? health.own[0]?.place;
  const context = useMemo(
    () => ({ feed, shown, show, moment, health, problems, place }),
    [feed, shown, show, moment, health, problems, place],
  );
  const alarm = alarmOf(health, problems);
  const wellState = health.own.length === 0 ? "" : "✓";
  const state = alarm === "" ? wellState : alarm === "!" ? "!" : `✗ ${alarm}`;
  useTitle(feed.session?.project ?? "tsbuilder dev", state);
  const Content = contents[shown.view];
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
              {titles[view]}
              {view === "now" && alarm !== "" && <span class="count">{alarm}</span>}
            </button>
          ))}
        </nav>
        <label class="filter">
          <span class="hidden">Filter</span>
          <input
            type="search"
            placeholder="filter: words, kind:, ns:, is:failing"
            value={shown.filter}
            onInput={({ currentTarget }) => show({ filter: currentTarget.value })}
          />
        </label>
        <Actions />
        <Keys titles={titles} />
      </header>
      <MomentBar />
      <main>
        <Content />
      </main>
    </Context.Provider>
  );
}

/** Returns what the verdict counts: failing objects, or failing requests; "!" if only something else is wrong, as a fight. */
function alarmOf({ own, failures }: Health, problems: readonly Problem[]): string {
  const failing = countTones(own).bad || failures.length;
  if (failing > 0) return grouped(failing);
  return problems.some(({ isOver }) => !isOver) ? "!" : "";
}

/** The choices whose change is always a step: nobody types or drags them. */
const steps = ["view", "place", "tab", "reconcileID", "callID"] as const;

/** Keeps the choices in the address of the page, so that reloads, Back and bookmarks work. */
function useAddress(): readonly [Shown, PageContext["show"]] {
  const [shown, setShown] = useState(() => choicesOf(location.hash));
  const current = useRef(shown);
  const bar = useMemo(() => new AddressBar(location, history), []);
  useEffect(() => {
    const read = (): void => {
      bar.forget();
      setShown((current.current = choicesOf(location.hash)));
    };
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);
  const show = useCallback((change: Partial<Shown>, isClick = false) => {
    const before = current.current;
    const next = { ...before, ...change };
    current.current = next;
    setShown(next);
    bar.write(before, next, isClick || steps.some((name) => before[name] !== next[name]));
  }, []);
  return [shown, show];
}

/** Shows the state in the tab of the browser, as a title and as a coloured icon. */
function useTitle(project: string, state: string): void {
  useEffect(() => {
    document.title = [state, project].filter(Boolean).join(" ");
    const colour = state === "" ? "#5b7083" : state === "✓" ? "#007a5a" : "#c2410c";
    const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="${colour}"/><path d="M4 5h8M8 5v7" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/></svg>`;
    document
      .querySelector("link[rel=icon]")
      ?.setAttribute("href", `data:image/svg+xml,${encodeURIComponent(icon)}`);
  }, [project, state]);
}

const nowInterval = 5000;

/** Returns the time, updated every few seconds, at which a stuck deletion may have become one; undefined if it is not needed. */
function useNow(isWanted: boolean): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => setNow(Date.now()), nowInterval);
    return () => clearInterval(timer);
  }, [isWanted]);
  return isWanted ? now : undefined;
}

const contents: Readonly<Record<View, ComponentType>> = {
  now: NowView,
  objects: ObjectsView,
  timeline: TimelineView,
  numbers: NumbersView,
  log: LogView,
};

const titles: Readonly<Record<View, string>> = {
  now: "Now",
  objects: "Objects",
  timeline: "Reconciles",
  numbers: "Numbers",
  log: "Log",
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
