import { useMemo, useState } from "preact/hooks";
import type { Reconcile } from "../history/history.ts";
import { whatLedTo } from "../history/what-led-to.ts";
import { ActMarks } from "./act-marks.tsx";
import { type Arrow, Arrows, type Point } from "./arrows.tsx";
import { Empty } from "./empty.tsx";
import { labelWidth, LaneRow } from "./lane-row.tsx";
import { Legend, Outcome } from "./outcome.tsx";
import { ReconcileDetail } from "./reconcile-detail.tsx";
import { ReconcileLine } from "./reconcile-line.tsx";
import { Rows } from "./rows.tsx";
import { matches } from "./matches.ts";
import { usePage } from "./shown.ts";
import { StretchButtons } from "./stretch-buttons.tsx";
import { duration, timeOfDay } from "./times.ts";
import { type Bar, barsOf, lanesOf, marksOf, ticksOf } from "./timeline-scale.ts";
import { useStretch } from "./use-stretch.ts";
import { useWidth } from "./use-width.ts";

const laneHeight = 30;

/** Reconciles by their requests and in time. */
export function TimelineView() {
  const { feed, shown, show, moment } = usePage();
  const { reconciles, acts } = feed.history;
  const [merged, setMerged] = useState<readonly Reconcile[]>([]);
  const [box, width] = useWidth<HTMLElement>();
  const many = reconciles.length;
  const lanes = useMemo(
    () =>
      lanesOf(reconciles).filter(({ controller, request }) =>
        matches(shown.filter, `${controller} ${request}`),
      ),
    [reconciles, many, shown.filter],
  );
  const chosen = reconciles.find(({ reconcileID }) => reconcileID === shown.reconcileID);
  const stretch = useStretch(chosen?.from);
  const { left, right, zoom, move } = stretch;
  const scale = Math.max(1, width - labelWidth - 20) / (right - left);

  const origins = useMemo(
    () => (chosen === undefined ? [] : whatLedTo(feed.history, chosen)),
    [feed.history, chosen, feed.history.written],
  );
  const pointOf = (reconcile: Reconcile, at: number): Point | undefined => {
    const lane = lanes.findIndex(({ reconciles: own }) => own.includes(reconcile));
    if (lane === -1 || at < left || at > right) return undefined;
    return { x: labelWidth + (at - left) * scale, y: (lane + 0.5) * laneHeight };
  };
  const arrows = origins.flatMap((origin): Arrow[] => {
    const [start, end] = [pointOf(origin, origin.to), pointOf(chosen!, chosen!.from)];
    return start && end ? [{ start, end }] : [];
  });

  const choose = ({ reconciles: [first, ...more], left: at }: Bar): void => {
    setMerged(more.length > 0 ? [first!, ...more] : []);
    show({ reconcileID: first!.reconcileID });
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
      </div>
      <div class="axis" aria-hidden="true">
        {ticksOf(left, right, scale).map((at) => (
          <span key={at} style={{ left: `${labelWidth + (at - left) * scale}px` }}>
            {timeOfDay(at)}
          </span>
        ))}
      </div>
      <ActMarks marks={marksOf(acts, left, right, scale)} />
      {lanes.length === 0 && <Empty isFiltered={many > 0}>Nothing was reconciled.</Empty>}
      <Rows
        items={lanes}
        height={laneHeight}
        keyOf={({ controller, request }) => `${controller} ${request}`}
        overlay={<Arrows arrows={arrows} />}
        attributes={{
          role: "group",
          "aria-label": "Reconciles by request, from the left to the right",
          tabIndex: 0,
        }}
      >
        {(lane) => (
          <LaneRow lane={lane} bars={barsOf(lane, left, right, scale)} chosen={chosen} onChoose={choose} />
        )}
      </Rows>
      {moment >= left && moment <= right && shown.moment !== undefined && (
        <div class="moment" style={{ left: `${labelWidth + (moment - left) * scale}px` }} />
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
          {merged.length > 0 && (
            <details>
              <summary>{merged.length} reconciles stand here</summary>
              <ul class="reconciles">
                {merged.slice(0, mostMerged).map((reconcile) => (
                  <li key={reconcile.reconcileID}>
                    <ReconcileLine reconcile={reconcile} />
                  </li>
                ))}
              </ul>
            </details>
          )}
        </aside>
      )}
    </section>
  );
}

const mostMerged = 100;
