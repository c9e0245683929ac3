import type { Printed, Reconcile } from "../history/history.ts";

/** A row of the timeline: all reconciles of one request of a controller, in the order of their starts. */
export interface Lane {
  readonly controller: string;
  readonly request: string;
  readonly reconciles: readonly Reconcile[];
}

/** A part of a lane, in pixels; where reconciles would stand upon each other, one bar stands for them. */
export interface Bar {
  readonly left: number;
  readonly width: number;
  readonly reconciles: readonly Reconcile[];
}

/** The lanes of reconciles, in the order in which their first one began. */
export function lanesOf(reconciles: readonly Reconcile[]): Lane[] {
  const lanes = new Map<string, Lane & { readonly reconciles: Reconcile[] }>();
  for (const reconcile of reconciles) {
    const { controller, request } = reconcile;
    const name = `${controller} ${request}`;
    const lane = lanes.get(name) ?? { controller, request, reconciles: [] };
    lane.reconciles.push(reconcile);
    lanes.set(name, lane);
  }
  // One request is never reconciled twice at once, so they end in the order of their starts.
  return [...lanes.values()].toSorted((a, b) => a.reconciles[0]!.from - b.reconciles[0]!.from);
}

/** No bar is narrower: it could not be hit. */
const narrowest = 6;

/** The bars of a lane between two moments, at so many pixels a millisecond; `from` stands at 0. */
export function barsOf({ reconciles }: Lane, from: number, to: number, scale: number): Bar[] {
  const bars: { left: number; width: number; reconciles: Reconcile[] }[] = [];
  for (const reconcile of reconciles) {
    if (reconcile.to < from || reconcile.from > to) continue;
    const left = (reconcile.from - from) * scale;
    const width = Math.max(narrowest, (reconcile.to - reconcile.from) * scale);
    const last = bars.at(-1);
    if (last && left < last.left + last.width + 1) {
      last.width = Math.max(last.width, left + width - last.left);
      last.reconciles.push(reconcile);
    } else bars.push({ left, width, reconciles: [reconcile] });
  }
  return bars;
}

/** What was done on the page, in pixels; where there is no space for the words of each, one mark stands for several. */
export interface Mark {
  readonly left: number;
  /** Until the next one. */
  readonly width: number;
  readonly acts: readonly Printed[];
}

/** A mark with less space would have no words. */
const leastWords = 140;

/** The marks between two moments, at so many pixels a millisecond; `from` stands at 0. */
export function marksOf(acts: readonly Printed[], from: number, to: number, scale: number): Mark[] {
  const groups: { readonly left: number; readonly acts: Printed[] }[] = [];
  for (const act of acts) {
    if (act.at < from || act.at > to) continue;
    const left = (act.at - from) * scale;
    const last = groups.at(-1);
    if (last && left - last.left < leastWords) last.acts.push(act);
    else groups.push({ left, acts: [act] });
  }
  return groups.map((group, i) => ({
    ...group,
    width: (groups[i + 1]?.left ?? (to - from) * scale) - group.left,
  }));
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 30e3, 60e3, 300e3, 600e3, 1800e3, 3600e3,
];
const betweenTicks = 90;

/** Moments to name on the axis between two moments, with enough space between them. */
export function ticksOf(from: number, to: number, scale: number): number[] {
  const step = steps.find((candidate) => candidate * scale >= betweenTicks) ?? steps.at(-1)!;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
