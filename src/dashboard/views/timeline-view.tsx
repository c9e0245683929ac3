import { useMemo, useState } from "preact/hooks";
import type { Call, Reconcile } from "../history/history.ts";
import { whatLedTo } from "../history/what-led-to.ts";
import { ActMarks } from "./act-marks.tsx";
import { type Arrow, Arrows, type Point } from "./arrows.tsx";
import { CallLaneRow } from "./call-lane-row.tsx";
import { ChosenCall } from "./chosen-call.tsx";
import { Empty } from "./empty.tsx";
import { labelWidth } from "./lane-bar.tsx";
import { LaneRow } from "./lane-row.tsx";
import { Merged } from "./merged.tsx";
import { Legend, Outcome } from "./outcome.tsx";
import { ReconcileDetail } from "./reconcile-detail.tsx";
import { ReconcileLine } from "./reconcile-line.tsx";
import { Rows } from "./rows.tsx";
import { matcher } from "./matcher.ts";
import { usePage } from "./shown.ts";
import { StretchButtons } from "./stretch-buttons.tsx";
import { duration, timeOfDay } from "./times.ts";
import { useStretch } from "./use-stretch.ts";
import { useWidth } from "./use-width.ts";
import { VerdictLegend } from "./verdict.tsx";
import {
  type Bar,
  barsOf,
  type CallLane,
  callLanesOf,
  type Lane,
  lanesOf,
  marksOf,
  ticksOf,
} from "./timeline-scale.ts";

const laneHeight = 30;

/** Reconciles by their requests, and calls of webhooks by their objects, in time. */
export function TimelineView() {
  const { feed, shown, show, moment } = usePage();
  const { reconciles, calls, acts } = feed.history;
  const [merged, setMerged] = useState<readonly Reconcile[]>([]);
  const [mergedCalls, setMergedCalls] = useState<readonly Call[]>([]);
  const [box, width] = useWidth<HTMLElement>();
  const many = reconciles.length;
  const lanes = useMemo(() => {
    const matches = matcher(shown.filter);
    return [...lanesOf(reconciles), ...callLanesOf(calls)]
      .filter((lane) => matches(nameOf(lane)))
      .toSorted((a, b) => beginOf(a) - beginOf(b));
  }, [reconciles, many, calls, calls.length, shown.filter]);
  const chosenCall = calls.find(({ uid }) => uid === shown.callID);
  const chosen = chosenCall
    ? undefined
    : reconciles.find(({ reconcileID }) => reconcileID === shown.reconcileID);
  const stretch = useStretch((chosen ?? chosenCall)?.from);
  const { left, right, zoom, move } = stretch;
  const scale = Math.max(1, width - labelWidth - 20) / (right - left);

  const origins = useMemo(
    () => (chosen === undefined ? [] : whatLedTo(feed.history, chosen)),
    [feed.history, chosen, feed.history.written],
  );
  const pointOf = (reconcile: Reconcile, at: number): Point | undefined => {
    const lane = lanes.findIndex((one) => "reconciles" in one && one.reconciles.includes(reconcile));
    if (lane === -1 || at < left || at > right) return undefined;
    return { x: labelWidth + (at - left) * scale, y: (lane + 0.5) * laneHeight };
  };
  const arrows = origins.flatMap((origin): Arrow[] => {
    const [start, end] = [pointOf(origin, origin.to), pointOf(chosen!, chosen!.from)];
    return start && end ? [{ start, end }] : [];
  });

  const choose = ({ items: [first, ...more], left: at }: Bar<Reconcile>): void => {
    setMerged(more.length > 0 ? [first!, ...more] : []);
    show({ reconcileID: first!.reconcileID, callID: undefined });
    if (at < 0) move(-0.5);
  };
  const chooseCall = ({ items: [first, ...more], left: at }: Bar<Call>): void => {
    setMergedCalls(more.length > 0 ? [first!, ...more] : []);
    show({ callID: first!.uid });
    if (at < 0) move(-0.5);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const actions: Readonly<Record<string, () => void>> = {
      "+": () => zoom(0.5),
      "-": () => zoom(2),
      ArrowLeft: () => move(-0.25),
      ArrowRight: () => move(0.25),
    };
    actions[event.key]?.();
  };

  return (
    <section class="timeline" ref={box} aria-label="Reconciles" onKeyDown={onKeyDown}>
      <div class="toolbar">
        <StretchButtons stretch={stretch} />
        <Legend />
        {calls.length > 0 && <VerdictLegend />}
      </div>
      <div class="axis" aria-hidden="true">
        {ticksOf(left, right, scale).map((at) => (
          <span key={at} style={{ left: `${labelWidth + (at - left) * scale}px` }}>
            {timeOfDay(at)}
          </span>
        ))}
      </div>
      <ActMarks marks={marksOf(acts, left, right, scale)} />
      {lanes.length === 0 && <Empty isFiltered={many + calls.length > 0}>Nothing was reconciled.</Empty>}
      <Rows
        items={lanes}
        height={laneHeight}
        keyOf={nameOf}
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
              lane={lane}
              bars={barsOf(lane.reconciles, left, right, scale)}
              chosen={chosen}
              onChoose={choose}
            />
          ) : (
            <CallLaneRow
              lane={lane}
              bars={barsOf(lane.calls, left, right, scale)}
              chosen={chosenCall}
              onChoose={chooseCall}
            />
          )
        }
      </Rows>
      {moment >= left && moment <= right && shown.moment !== undefined && (
        <div class="moment" style={{ left: `${labelWidth + (moment - left) * scale}px` }} />
      )}
      {chosenCall && (
        <ChosenCall call={chosenCall} merged={mergedCalls.includes(chosenCall) ? mergedCalls : []} />
      )}
      {chosen && (
        <aside class="chosen" aria-label="The chosen reconcile">
          <h2>
            {chosen.controller} {chosen.request}
          </h2>
          <p>
            <time>{timeOfDay(chosen.from)}</time> <Outcome outcome={chosen.outcome} /> in{" "}
            {duration(chosen.to - chosen.from)}
          </p>
          <ReconcileDetail reconcile={chosen} />
          {origins.length > 0 && (
            <>
              <h3>What led to it</h3>
              <ul class="reconciles">
                {origins.map((reconcile) => (
                  <li key={reconcile.reconcileID}>
                    <ReconcileLine reconcile={reconcile} />
                  </li>
                ))}
              </ul>
            </>
          )}
          <Merged items={merged} noun="reconciles" keyOf={({ reconcileID }) => reconcileID}>
            {(reconcile) => <ReconcileLine reconcile={reconcile} />}
          </Merged>
        </aside>
      )}
    </section>
  );
}

function nameOf(lane: Lane | CallLane): string {
  return "reconciles" in lane
    ? `${lane.controller} ${lane.request}`
    : `${lane.webhook} ${lane.resource} ${lane.key}`;
}

function beginOf(lane: Lane | CallLane): number {
  return ("reconciles" in lane ? lane.reconciles : lane.calls)[0]!.from;
}
