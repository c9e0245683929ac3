import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Feed, RefusedActionError } from "../feed/feed.ts";
import { Actions } from "./actions.tsx";
import { LogView } from "./log-view.tsx";
import { ObjectsView } from "./objects-view.tsx";
import { Context, type Shown, type View, atFirst, usePage, views } from "./shown.ts";
import { TimelineView } from "./timeline-view.tsx";
import { Problem } from "./problem.tsx";
import { duration, timeOfDay } from "./times.ts";
import type { Finding } from "../history/findings.ts";
import { Empty } from "./empty.tsx";
import { matcher } from "./matcher.ts";
import { type Sample, restartsOf, sampleAt } from "../history/samples.ts";
import { mostOf, pathOf, peaks } from "./plot-line.ts";
import { type Plot, filteredPlots, plotsOf, wordsOf } from "./plots.ts";
import { StretchButtons } from "./stretch-buttons.tsx";
import { ticksOf } from "./timeline-scale.ts";
import { useStretch } from "./use-stretch.ts";
import { useWidth } from "./use-width.ts";

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

/** Queue, workers, cache, event loop and memory of the operator in time. */
function NumbersView() {
  const { feed, shown } = usePage();
  const { samples } = feed.history;
  const all = useMemo(() => plotsOf(samples), [samples, samples.length]);
  const plots = useMemo(() => filteredPlots(all, shown.filter), [all, shown.filter]);
  if (samples.length === 0) return <Empty isFiltered={false}>Nothing was measured.</Empty>;
  if (plots.length === 0) return <Empty isFiltered>Nothing was measured.</Empty>;
  return <Numbers plots={plots} />;
}

function Numbers({ plots }: { readonly plots: readonly Plot[] }) {
  const { feed, shown, show, moment } = usePage();
  const { samples, from: first, to: last } = feed.history;
  const stretch = useStretch(shown.moment);
  const [box, boxWidth] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number>();
  const { left, right } = stretch;
  const width = Math.max(1, boxWidth - scaleWidth - 20);
  const lines = useMemo(
    () =>
      plots.map(({ series }) =>
        series.map(({ value }) => peaks(samples, value, { from: left, to: right, width, until: last })),
      ),
    [plots, samples, samples.length, left, right, width, last],
  );
  const scale = width / (right - left);
  const inPixels = (at: number): number => (at - left) * scale;
  const cursor = pointed ?? moment;
  const isSeen = (at: number): boolean => at >= left && at <= right;
  const restarts = restartsOf(samples).filter(isSeen);

  const choose = (at: number): void =>
    show({ moment: at >= last ? undefined : Math.round(Math.max(at, first)) });
  const timeAt = (event: MouseEvent): number => {
    const { left: start } = box.current!.getBoundingClientRect();
    return Math.min(right, Math.max(left, left + (event.clientX - start - scaleWidth) / scale));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = (right - left) / 100;
    const actions: Readonly<Record<string, () => void>> = {
      "+": () => stretch.zoom(0.5),
      "-": () => stretch.zoom(2),
      ArrowLeft: () => choose(cursor - step),
      ArrowRight: () => choose(cursor + step),
      Home: () => choose(left),
      End: () => choose(right),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    setPointed(undefined);
    action();
  };

  return (
    <section class="numbers" aria-label="Numbers of the operator">
      <div class="toolbar">
        <StretchButtons stretch={stretch} />
      </div>
      <div class="numbers-parts">
        <div
          class="plots"
          ref={box}
          role="slider"
          tabIndex={0}
          aria-label="Moment of the numbers"
          aria-valuemin={left}
          aria-valuemax={right}
          aria-valuenow={cursor}
          aria-valuetext={`${timeOfDay(cursor)}: ${wordsOf(plots, sampleAt(samples, cursor))}`}
          onKeyDown={onKeyDown}
          onMouseMove={(event) => setPointed(timeAt(event))}
          onMouseLeave={() => setPointed(undefined)}
          onClick={(event) => choose(timeAt(event))}
        >
          <div class="axis">
            {ticksOf(left, right, scale).map((at) => (
              <span key={at} style={{ left: `${scaleWidth + inPixels(at)}px` }}>
                {timeOfDay(at)}
              </span>
            ))}
          </div>
          {plots.map((plot, index) => (
            <PlotFigure
              key={plot.title}
              plot={plot}
              lines={lines[index]!}
              width={width}
              restarts={restarts.map(inPixels)}
            />
          ))}
          {isSeen(cursor) && (pointed !== undefined || shown.moment !== undefined) && (
            <div class="moment" style={{ left: `${scaleWidth + inPixels(cursor)}px` }} />
          )}
        </div>
        <NumbersTable
          samples={samples}
          plots={plots}
          peaks={lines.map((series) =>
            series.map((line) => line.reduce((most, value) => (value > most ? value : most), 0)),
          )}
          at={cursor}
          restarts={restarts}
        />
      </div>
    </section>
  );
}

interface NumbersTableProps {
  readonly samples: readonly Sample[];
  readonly plots: readonly Plot[];
  /** The highest values of each plot's series in what is drawn. */
  readonly peaks: readonly (readonly number[])[];
  readonly at: number;
  /** When the operator started again, in what is drawn. */
  readonly restarts: readonly number[];
}

const mostRestarts = 5;

/** The numbers at a moment, and the highest ones that are drawn. */
function NumbersTable({ samples, plots, peaks, at, restarts }: NumbersTableProps) {
  const sample = sampleAt(samples, at);
  const workers = sample?.controllers.map(({ controller, workers: all }) => `${controller} ${all}`) ?? [];
  return (
    <div class="numbers-table">
      <table>
        <caption>At {timeOfDay(at)}</caption>
        <thead>
          <tr>
            <th scope="col">Number</th>
            <th scope="col">Then</th>
            <th scope="col">Highest</th>
          </tr>
        </thead>
        {plots.map(({ title, series, text }, index) => (
          <tbody key={title}>
            <tr>
              <th scope="rowgroup" colSpan={3}>
                {title}
              </th>
            </tr>
            {series.map(({ name, value }, line) => (
              <tr key={name}>
                <td>{name}</td>
                <td>{sample ? text(value(sample)) : "unknown"}</td>
                <td>{text(peaks[index]?.[line] ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      {sample && sample.resident === 0 && <p>The operator was not running.</p>}
      {workers.length > 0 && <p class="dim">Reconciles that may run at once: {workers.join(", ")}</p>}
      {restarts.length > 0 && (
        <p class="dim">
          The operator started again at {restarts.slice(-mostRestarts).map(timeOfDay).join(", ")}
          {restarts.length > mostRestarts && `, and ${restarts.length - mostRestarts} times before`}
        </p>
      )}
      {sample && <Cached cached={sample.cached} />}
    </div>
  );
}

function Cached({ cached }: Pick<Sample, "cached">) {
  const kinds = Object.entries(cached).toSorted(([, a], [, b]) => b - a);
  if (kinds.length === 0) return null;
  return (
    <table>
      <caption>Cached objects by kind</caption>
      <tbody>
        {kinds.map(([kind, count]) => (
          <tr key={kind}>
            <th scope="row">{kind}</th>
            <td>{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The height of a plot in pixels. */
const plotHeight = 64;

/** Left of the lines, for what their height means. */
const scaleWidth = 70;

interface PlotFigureProps {
  readonly plot: Plot;
  /** The values of each series, by pixels. */
  readonly lines: readonly (readonly number[])[];
  readonly width: number;
  /** Where the operator started again, in pixels. */
  readonly restarts: readonly number[];
}

/** A plot; what it tells is in the table of numbers, too. */
function PlotFigure({ plot: { title, series, text }, lines, width, restarts }: PlotFigureProps) {
  const most = mostOf(lines);
  return (
    <div class="plot">
      <p class="plot-title">
        <b>{title}</b>
        {series.length > 1 &&
          series.map(({ name }, index) => (
            <span key={name} class="plot-name">
              <svg width="26" height="8" class={`line l${index % 6}`}>
                <path d="M0 4H26" />
              </svg>{" "}
              {name}
            </span>
          ))}
      </p>
      <span class="plot-most">{text(most)}</span>
      <svg class="plot-lines" style={{ left: `${scaleWidth}px` }} width={width} height={plotHeight}>
        {restarts.map((x) => (
          <path key={x} class="restart" d={`M${x} 0V${plotHeight}`} />
        ))}
        {lines.map((line, index) => (
          <g key={series[index]!.name} class={`line l${index % 6}`}>
            <path d={pathOf(line, most, plotHeight - 4)} transform="translate(0 2)" />
          </g>
        ))}
      </svg>
    </div>
  );
}

const ofNumbers: readonly Finding["kind"][] = ["blocked event loop", "growing queue", "growing memory"];

/** Milliseconds that are shown before and after. */
const around = 10_000;

/** What looks wrong, in words, with ways to what it is about. */
function FindingsView() {
  const { feed, shown, show } = usePage();
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
            <button type="button" class="link" onClick={() => show({ moment: from })}>
              <time>{timeOfDay(from)}</time>
            </button>
            {at > from && ` to ${timeOfDay(at)}`}
            {call !== undefined && (
              <button type="button" class="link way" onClick={() => show({ view: "timeline", callID: call })}>
                a call of it
              </button>
            )}
            {requests.map(({ controller, request }) => (
              <button
                type="button"
                class="link way"
                key={`${controller} ${request}`}
                onClick={() =>
                  show({ view: "timeline", callID: undefined, filter: `${controller} ${request}` })
                }
              >
                reconciles of {controller} {request}
              </button>
            ))}
            {ofNumbers.includes(kind) && (
              <button
                type="button"
                class="link way"
                onClick={() =>
                  show({
                    view: "numbers",
                    filter: "",
                    moment: at,
                    stretch: { from: from - around, to: at + around },
                  })
                }
              >
                numbers at that time
              </button>
            )}
            {places
              .filter((place) => feed.history.tracks.has(place))
              .map((place) => (
                <button
                  type="button"
                  class="link way"
                  key={place}
                  onClick={() => show({ view: "objects", tab: "changes", place })}
                >
                  {place}
                </button>
              ))}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** What was found in the record, of what had begun by a moment; by default up to now, when what waits may wait too long. */
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

const pause = 5000;

/** The time, every few seconds; undefined if it is not wanted. */
function useNow(isWanted: boolean): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => setNow(Date.now()), pause);
    return () => clearInterval(timer);
  }, [isWanted]);
  return isWanted ? now : undefined;
}

/** Moves through the time of the session. */
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
