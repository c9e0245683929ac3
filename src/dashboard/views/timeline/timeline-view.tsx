import { useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Call, Lane, Reconcile } from "../../history/history.ts";
import { causingReconciles } from "../../history/connections.ts";
import { Empty, Link } from "../messages.tsx";
import { failureAt } from "../../history/problems.ts";
import { Mark, Outcome, VerdictWord, outcomeSigns, outcomes, verdictSigns, verdicts } from "../outcomes.tsx";
import { ReconcileDetail, ReconcileList } from "../reconcile.tsx";
import { Rows } from "../rows.tsx";
import { duration, matcher, timeOfDay } from "../texts.ts";
import { usePage } from "../shown.ts";
import { StretchButtons, useStretch, useWidth } from "../stretch.tsx";
import type { Bar, CallLane, Mark as ActionMark } from "./timeline-scale.ts";
import { barsOf, callLanesOf, marksOf, ticksOf } from "./timeline-scale.ts";
import { placesOfCall } from "../../../dev/record/recorded.ts";
import { verdictOf, webhookName } from "../../../dev/record/webhook-call.ts";
import { CallDetail, CallList, operationOf } from "../webhook-call.tsx";

const laneHeight = 30;

/** The width of the names left of the bars, in pixels. */
const labelWidth = 260;

/** The timeline: a lane for each request of a controller, and for each object of a webhook. */
export function TimelineView() {
  const { feed, shown, show, moment } = usePage();
  const { reconciles, lanes: requests, calls, actions } = feed.history;
  const [mergedReconciles, setMergedReconciles] = useState<readonly Reconcile[]>([]);
  const [mergedCalls, setMergedCalls] = useState<readonly Call[]>([]);
  const [box, width] = useWidth<HTMLElement>();
  // The history appends to its lists in place, so their lengths are what changes.
  const lanes = useMemo(() => {
    const matches = matcher(shown.filter);
    return [...requests.values(), ...callLanesOf(calls)]
      .filter((lane) => matches(laneName(lane), isFailing(lane, moment) ? { tone: "bad" } : {}))
      .toSorted((a, b) => laneStart(a) - laneStart(b));
  }, [requests, reconciles.length, calls, calls.length, shown.filter, moment]);
  const chosenCall = calls.find(({ uid }) => uid === shown.callID);
  const chosenReconcile = chosenCall
    ? undefined
    : reconciles.find(({ reconcileID }) => reconcileID === shown.reconcileID);
  const stretch = useStretch((chosenReconcile ?? chosenCall)?.from);
  const { left, right, zoom, move } = stretch;
  const scale = Math.max(1, width - labelWidth - 20) / (right - left);

  const causes = useMemo(
    () => (chosenReconcile === undefined ? [] : causingReconciles(feed.history, chosenReconcile)),
    [feed.history, chosenReconcile, feed.history.written],
  );
  const pointOf = (reconcile: Reconcile, at: number): Point | undefined => {
    const row = lanes.findIndex((lane) => "reconciles" in lane && lane.reconciles.includes(reconcile));
    if (row === -1 || at < left || at > right) return undefined;
    return { x: labelWidth + (at - left) * scale, y: (row + 0.5) * laneHeight };
  };
  const arrows = causes.flatMap((origin): Arrow[] => {
    const [start, end] = [pointOf(origin, origin.to), pointOf(chosenReconcile!, chosenReconcile!.from)];
    return start && end ? [{ start, end }] : [];
  });

  const chooseReconcile = (bar: Bar<Reconcile>): void => {
    setMergedReconciles(bar.items.length > 1 ? bar.items : []);
    show({ reconcileID: bar.items[0]!.reconcileID, callID: undefined });
    if (bar.left < 0) move(-0.5);
  };
  const chooseCall = (bar: Bar<Call>): void => {
    setMergedCalls(bar.items.length > 1 ? bar.items : []);
    show({ callID: bar.items[0]!.uid });
    if (bar.left < 0) move(-0.5);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const byKey: Readonly<Record<string, () => void>> = {
      "+": () => zoom(0.5),
      "-": () => zoom(2),
      ArrowLeft: () => move(-0.25),
      ArrowRight: () => move(0.25),
    };
    byKey[event.key]?.();
  };

  return (
    <section class="timeline" ref={box} aria-label="Reconciles" onKeyDown={onKeyDown}>
      <div class="toolbar">
        <StretchButtons stretch={stretch} />
        <span class="legend">
          {outcomes.map((outcome) => (
            <Outcome key={outcome} outcome={outcome} />
          ))}
        </span>
        {calls.length > 0 && (
          <span class="legend">
            webhooks
            {verdicts.map((verdict) => (
              <VerdictWord key={verdict} verdict={verdict} />
            ))}
          </span>
        )}
      </div>
      <div class="axis" aria-hidden="true">
        {ticksOf(left, right, scale).map((at) => (
          <span key={at} style={{ left: `${labelWidth + (at - left) * scale}px` }}>
            {timeOfDay(at)}
          </span>
        ))}
      </div>
      <ActionMarks marks={marksOf(actions, left, right, scale)} />
      {lanes.length === 0 && (
        <Empty isFiltered={reconciles.length + calls.length > 0}>Nothing was reconciled.</Empty>
      )}
      <Rows
        items={lanes}
        height={laneHeight}
        keyOf={laneName}
        overlay={<Arrows arrows={arrows} />}
        attributes={{
          role: "group",
          "aria-label": "Reconciles by request, from the left to the right",
          tabIndex: 0,
        }}
      >
        {(lane) =>
          "reconciles" in lane ? (
            <LaneRow
              title={laneName(lane)}
              bars={barsOf(lane.reconciles, left, right, scale)}
              lookOf={lookOfReconciles}
              chosen={chosenReconcile}
              onChoose={chooseReconcile}
            >
              {isFailing(lane, moment) && <Mark tone="bad" />} <span class="dim">{lane.controller}</span>{" "}
              {lane.request}
            </LaneRow>
          ) : (
            <LaneRow
              title={laneName(lane)}
              bars={barsOf(lane.calls, left, right, scale)}
              lookOf={lookOfCalls}
              chosen={chosenCall}
              onChoose={chooseCall}
            >
              {lane.key} <span class="dim">{lane.shortName}</span>
            </LaneRow>
          )
        }
      </Rows>
      {moment >= left && moment <= right && shown.moment !== undefined && (
        <div class="moment" style={{ left: `${labelWidth + (moment - left) * scale}px` }} />
      )}
      {chosenCall && <ChosenCall call={chosenCall} merged={mergedWith(mergedCalls, chosenCall)} />}
      {chosenReconcile && (
        <ChosenReconcile
          reconcile={chosenReconcile}
          causes={causes}
          merged={mergedWith(mergedReconciles, chosenReconcile)}
        />
      )}
    </section>
  );
}

/** Returns true for a request whose last reconcile failed. */
function isFailing(lane: Lane | CallLane, moment: number): boolean {
  return "reconciles" in lane && failureAt(lane, moment) !== undefined;
}

function laneName(lane: Lane | CallLane): string {
  return "reconciles" in lane
    ? `${lane.controller} ${lane.request}`
    : `${lane.webhook} ${lane.resource} ${lane.key}`;
}

function laneStart(lane: Lane | CallLane): number {
  return ("reconciles" in lane ? lane.reconciles : lane.calls)[0]!.from;
}

/** Marks for the actions on the page, as links to their moments. */
function ActionMarks({ marks }: { readonly marks: readonly ActionMark[] }) {
  const { show } = usePage();
  if (marks.length === 0) return null;
  return (
    <ul class="acts" aria-label="What was done on the page">
      {marks.map(({ left, width, acts }) => {
        const [first, ...more] = acts;
        const { at, text } = first!;
        return (
          <li key={`${at} ${text}`} style={{ left: `${labelWidth + left}px`, width: `${width}px` }}>
            <button
              type="button"
              class="link"
              title={acts.map((act) => `${timeOfDay(act.at)} the page ${act.text}`).join("\n")}
              onClick={() => show({ moment: at }, true)}
            >
              ▼ {text}
              {more.length > 0 && `, and ${more.length} more`}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** A place in the timeline, in pixels. */
interface Point {
  readonly x: number;
  readonly y: number;
}

interface Arrow {
  readonly start: Point;
  readonly end: Point;
}

/** Arrows from the ends of reconciles to the starts of the reconciles that they caused. */
function Arrows({ arrows }: { readonly arrows: readonly Arrow[] }) {
  return (
    <svg class="arrows" aria-hidden="true">
      <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path d="M0 0 8 4 0 8z" />
      </marker>
      {arrows.map(({ start, end }) => (
        <path
          key={`${start.x} ${start.y}`}
          class="arrow"
          marker-end="url(#head)"
          d={`M${start.x} ${start.y} C${start.x + 30} ${start.y + 20} ${end.x - 30} ${end.y + 20} ${end.x} ${end.y}`}
        />
      ))}
    </svg>
  );
}

/** How a bar is drawn: for one item, or for several that are too close to be drawn apart. */
interface BarLook {
  readonly key: string;
  /** The CSS classes of its colour. */
  readonly look: string;
  readonly label: string;
  /** Shown if the bar is wide enough. */
  readonly sign: string;
}

interface LaneRowProps<Item> {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly bars: readonly Bar<Item>[];
  readonly lookOf: (bar: Bar<Item>) => BarLook;
  readonly chosen: Item | undefined;
  readonly onChoose: (bar: Bar<Item>) => void;
}

/** The lane of a request, or of a webhook and an object: its name, and bars for its reconciles or calls. */
function LaneRow<Item>({ title, children, bars, lookOf, chosen, onChoose }: LaneRowProps<Item>) {
  return (
    <div class="lane">
      <span class="lane-name" title={title} style={{ width: `${labelWidth - 10}px` }}>
        {children}
      </span>
      {bars.map((bar) => {
        const { key, look, label, sign } = lookOf(bar);
        return (
          <button
            key={key}
            type="button"
            class={`bar ${look}`}
            aria-pressed={chosen !== undefined && bar.items.includes(chosen)}
            aria-label={label}
            style={{
              left: `${labelWidth + Math.max(0, bar.left)}px`,
              width: `${bar.width + Math.min(0, bar.left)}px`,
            }}
            onClick={() => onChoose(bar)}
          >
            {bar.width > 16 && sign}
          </button>
        );
      })}
    </div>
  );
}

function lookOfReconciles({ items }: Bar<Reconcile>): BarLook {
  const { reconcileID: key, controller, request, from, to } = items[0]!;
  const outcome = outcomes[Math.max(...items.map((one) => outcomes.indexOf(one.outcome)))]!;
  const label =
    items.length > 1
      ? `${items.length} reconciles of ${controller} ${request}, the worst: ${outcome}`
      : `${timeOfDay(from)} ${controller} ${request}: ${outcome} in ${duration(to - from)}`;
  return { key, look: outcome, label, sign: outcomeSigns[outcome] };
}

function lookOfCalls({ items }: Bar<Call>): BarLook {
  const first = items[0]!;
  const verdict = verdicts[Math.max(...items.map((call) => verdicts.indexOf(verdictOf(call))))]!;
  const label =
    items.length > 1
      ? `${items.length} calls of ${webhookName(first)}, the worst: ${verdict}`
      : `${timeOfDay(first.from)} ${webhookName(first)} ${operationOf(first)}: ${verdict} in ${duration(first.to - first.from)}`;
  return { key: first.uid, look: `call ${verdict}`, label, sign: verdictSigns[verdict] };
}

/** Returns the items of the bar that was clicked last; none if a link has chosen an item outside of it since. */
function mergedWith<T>(barItems: readonly T[], chosen: T): readonly T[] {
  return barItems.includes(chosen) ? barItems : [];
}

interface ChosenReconcileProps {
  readonly reconcile: Reconcile;
  /** The reconciles that led to it. */
  readonly causes: readonly Reconcile[];
  /** All reconciles of its bar, if there are several. */
  readonly merged: readonly Reconcile[];
}

/** The details of the chosen reconcile, below the timeline. */
function ChosenReconcile({ reconcile, causes, merged }: ChosenReconcileProps) {
  return (
    <aside class="chosen" aria-label="The chosen reconcile">
      <h2>
        {reconcile.controller} {reconcile.request}
      </h2>
      <p>
        <time>{timeOfDay(reconcile.from)}</time> <Outcome outcome={reconcile.outcome} /> in{" "}
        {duration(reconcile.to - reconcile.from)}
      </p>
      <ReconcileDetail reconcile={reconcile} />
      {causes.length > 0 && (
        <>
          <h3>What led to it</h3>
          <ReconcileList reconciles={causes} />
        </>
      )}
      <MergedItems count={merged.length} noun="reconciles">
        <ReconcileList reconciles={merged.slice(0, mostListed)} />
      </MergedItems>
    </aside>
  );
}

interface ChosenCallProps {
  readonly call: Call;
  /** All calls of its bar, if there are several. */
  readonly merged: readonly Call[];
}

/** The details of the chosen webhook call, below the timeline. */
function ChosenCall({ call, merged }: ChosenCallProps) {
  const { feed } = usePage();
  const places = placesOfCall(call);
  return (
    <aside class="chosen" aria-label="The chosen call of a webhook">
      <h2>
        {webhookName(call)}: {operationOf(call)}
      </h2>
      <p>
        <time>{timeOfDay(call.from)}</time> <VerdictWord verdict={verdictOf(call)} /> in{" "}
        {duration(call.to - call.from)}
        {places.map((place) =>
          feed.history.tracks.has(place) ? (
            <Link isListed key={place} to={{ view: "objects", tab: "webhooks", place }}>
              {place}
            </Link>
          ) : (
            <span class="way" key={place}>
              {place}
            </span>
          ),
        )}
      </p>
      <CallDetail call={call} />
      <MergedItems count={merged.length} noun="calls">
        <CallList calls={merged.slice(0, mostListed)} />
      </MergedItems>
    </aside>
  );
}

const mostListed = 100;

interface MergedProps {
  readonly count: number;
  readonly noun: string;
  readonly children: ComponentChildren;
}

function MergedItems({ count, noun, children }: MergedProps) {
  if (count === 0) return null;
  return (
    <details>
      <summary>
        {count} {noun} stand here
      </summary>
      {children}
    </details>
  );
}
