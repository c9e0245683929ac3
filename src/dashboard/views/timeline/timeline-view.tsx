import { useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { type Call, type Lane, type Reconcile, laneName } from "../../history/history.ts";
import { groupBy } from "../../../dev/record/findings/finding.ts";
import { causingReconciles } from "../../history/connections.ts";
import { Empty, Link } from "../messages.tsx";
import type { Problem } from "../../history/problems.ts";
import {
  Key,
  Mark,
  Outcome,
  VerdictWord,
  outcomeSigns,
  outcomes,
  verdictSigns,
  verdicts,
} from "../outcomes.tsx";
import { ReconcileDetail, ReconcileList } from "../reconcile.tsx";
import { Rows } from "../rows.tsx";
import { counted, duration, matcher, timeOfDay } from "../texts.ts";
import { usePage } from "../shown.ts";
import { type Tone, tones } from "@tsbuilder/apimachinery/meta";
import { StretchButtons, useStretch, useWidth } from "../stretch.tsx";
import type { Bar, CallLane, Mark as ActionMark } from "./timeline-scale.ts";
import { barsOf, callLanesOf, failingStretches, marksOf, ticksOf } from "./timeline-scale.ts";
import { countUntil } from "../../../dev/record/count-until.ts";
import { placesOfCall } from "../../../dev/record/recorded.ts";
import { verdictOf, webhookName } from "../../../dev/record/webhook-call.ts";
import { CallDetail, CallList, operationOf } from "../webhook-call.tsx";

const laneHeight = 30;

/** The timeline: a lane for each request of a controller, and for each object of a webhook, the worst first. */
export function TimelineView() {
  const { feed, shown, show, moment, health, problems } = usePage();
  const { reconciles, lanes: requests, calls, actions } = feed.history;
  const [mergedReconciles, setMergedReconciles] = useState<readonly Reconcile[]>([]);
  const [mergedCalls, setMergedCalls] = useState<readonly Call[]>([]);
  const [box, width] = useWidth<HTMLElement>();
  const areMany = useMemo(
    () => new Set([...requests.values()].map(({ controller }) => controller)).size > 1,
    [requests, reconciles.length],
  );
  const wrong = useMemo(() => {
    const found = problems.filter(({ isOver }) => !isOver);
    // The worst come first, and the last entry of a key wins.
    return new Map(
      found.toReversed().flatMap((one) => one.requests.map((request) => [laneName(request), one] as const)),
    );
  }, [problems]);
  // The history appends to its lists in place, so their lengths are what changes.
  const all = useMemo(
    () => [...requests.values(), ...callLanesOf(calls)].sort((a, b) => laneStart(a) - laneStart(b)),
    [requests, reconciles.length, calls, calls.length],
  );
  const lanes = useMemo(() => {
    const matches = matcher(shown.filter);
    const byTone = groupBy(all, ({ name }): Tone => wrong.get(name)?.tone ?? "none");
    return tones.flatMap((tone) => byTone.get(tone)?.filter(({ name }) => matches(name, { tone })) ?? []);
  }, [all, wrong, shown.filter]);
  const chosenCall = calls.find(({ uid }) => uid === shown.callID);
  const chosenReconcile = chosenCall
    ? undefined
    : reconciles.find(({ reconcileID }) => reconcileID === shown.reconcileID);
  const stretch = useStretch((chosenReconcile ?? chosenCall)?.from);
  const { left, right, zoom, move } = stretch;
  // On a phone the bars matter more than what is beside them.
  const [labelWidth, summaryWidth] = width < 700 ? [110, 0] : [240, Math.min(360, width / 4)];
  const barsWidth = Math.max(1, width - labelWidth - summaryWidth - 20);
  const scale = barsWidth / (right - left);

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
      <Summary failing={health.failures.length} />
      <div class="toolbar">
        <StretchButtons stretch={stretch} />
        <Legend />
      </div>
      <div class="axis" aria-hidden="true">
        {ticksOf(left, right, scale).map((at) => (
          <span key={at} style={{ left: `${labelWidth + (at - left) * scale}px` }}>
            {timeOfDay(at).slice(0, at % 1000 === 0 ? 8 : 12)}
          </span>
        ))}
      </div>
      <ActionMarks labelWidth={labelWidth} marks={marksOf(actions, left, right, scale)} />
      {lanes.length === 0 && (
        <Empty isFiltered={reconciles.length + calls.length > 0}>Nothing was reconciled.</Empty>
      )}
      <Rows
        items={lanes}
        height={laneHeight}
        keyOf={({ name }) => name}
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
              title={lane.name}
              labelWidth={labelWidth}
              summaryWidth={summaryWidth}
              bars={barsOf(lane.reconciles, left, right, scale)}
              failing={failingStretches(lane.reconciles, left, Math.min(right, moment)).map((one) => ({
                left: (one.from - left) * scale,
                width: (one.to - one.from) * scale,
              }))}
              summary={summaryOf(lane, wrong.get(lane.name), moment)}
              lookOf={lookOfReconciles}
              chosen={chosenReconcile}
              onChoose={chooseReconcile}
            >
              <Mark tone={wrong.get(lane.name)?.tone ?? "good"} /> <Key of={lane.request} />
              {areMany && <span class="dim"> by {lane.controller}</span>}
            </LaneRow>
          ) : (
            <LaneRow
              title={lane.name}
              labelWidth={labelWidth}
              summaryWidth={summaryWidth}
              bars={barsOf(lane.calls, left, right, scale)}
              failing={[]}
              summary={counted(lane.calls.length, "call")}
              lookOf={lookOfCalls}
              chosen={chosenCall}
              onChoose={chooseCall}
            >
              <Mark tone="none" /> <Key of={lane.key} /> <span class="dim">{lane.shortName}</span>
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

/** The heading: how many objects fail, and how to read the rows. */
function Summary({ failing }: { readonly failing: number }) {
  const { feed, moment } = usePage();
  const { lanes, reconciles, from } = feed.history;
  if (reconciles.length === 0) return null;
  const ended = countUntil(reconciles, ({ to }) => to <= moment);
  const objects = counted(lanes.size, "object");
  const tone = failing > 0 ? "bad" : "good";
  return (
    <div class={`verdict-line ${tone}`}>
      <h2>
        <Mark tone={tone} />{" "}
        {failing > 0 ? `${failing} of ${objects} fail to reconcile` : `${objects} reconciled, none failing`}
      </h2>
      <p class="dim">
        A row is an object, a bar is a reconcile of it: {counted(ended, "reconcile")} in{" "}
        {duration(moment - from)}.{failing > 0 && " On red ground, its last reconcile failed."} Click a bar to
        see why it ran and what it did.
      </p>
    </div>
  );
}

/** The signs of the outcomes that occur. */
function Legend() {
  const { reconciles, calls } = usePage().feed.history;
  const [found, foundVerdicts] = useMemo(
    () => [new Set(reconciles.map(({ outcome }) => outcome)), new Set(calls.map(verdictOf))],
    [reconciles, reconciles.length, calls, calls.length],
  );
  return (
    <span class="legend">
      {outcomes
        .filter((outcome) => found.has(outcome))
        .map((outcome) => (
          <Outcome key={outcome} outcome={outcome} />
        ))}
      {calls.length > 0 && <span class="way">webhooks</span>}
      {verdicts
        .filter((verdict) => foundVerdicts.has(verdict))
        .map((verdict) => (
          <VerdictWord key={verdict} verdict={verdict} />
        ))}
    </span>
  );
}

/** Says how a lane stands: what is wrong, or the number of its reconciles. */
function summaryOf({ reconciles }: Lane, problem: Problem | undefined, moment: number): ComponentChildren {
  const ended = countUntil(reconciles, ({ to }) => to <= moment);
  if (problem === undefined) return counted(ended, "reconcile");
  return (
    <span class={`why ${problem.tone}`} title={problem.title}>
      {problem.title}
    </span>
  );
}

type AnyLane = Lane | CallLane;

function laneStart(lane: AnyLane): number {
  return ("reconciles" in lane ? lane.reconciles : lane.calls)[0]!.from;
}

/** Marks for the actions on the page, as links to their moments. */
function ActionMarks({
  marks,
  labelWidth,
}: {
  readonly marks: readonly ActionMark[];
  readonly labelWidth: number;
}) {
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
  /** The widths of the name left of the bars and of the summary right of them, in pixels. */
  readonly labelWidth: number;
  readonly summaryWidth: number;
  readonly summary: ComponentChildren;
  /** The stretches in which the object failed, in pixels. */
  readonly failing: readonly { readonly left: number; readonly width: number }[];
  readonly bars: readonly Bar<Item>[];
  readonly lookOf: (bar: Bar<Item>) => BarLook;
  readonly chosen: Item | undefined;
  readonly onChoose: (bar: Bar<Item>) => void;
}

/** The lane of a request, or of a webhook and an object: its name, bars for its reconciles or calls, and how it stands. */
function LaneRow<Item>(props: LaneRowProps<Item>) {
  const { title, children, labelWidth, summaryWidth, summary, failing, bars, lookOf, chosen, onChoose } =
    props;
  return (
    <div class="lane">
      <span class="lane-name" title={title} style={{ width: `${labelWidth - 10}px` }}>
        {children}
      </span>
      {failing.map(({ left, width }) => (
        <span key={left} class="failing" style={{ left: `${labelWidth + left}px`, width: `${width}px` }} />
      ))}
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
            {bar.width > 48 && bar.items.length > 1 && ` ${bar.items.length}`}
          </button>
        );
      })}
      {summaryWidth > 0 && (
        <span class="lane-summary" style={{ width: `${summaryWidth}px` }}>
          {summary}
        </span>
      )}
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
