import { keysOfCall } from "../../../dev/record/recorded.ts";
import type { Call, Printed, Reconcile } from "../../history/history.ts";
import { webhookName } from "../../../dev/record/webhook-call.ts";

/** A row of the timeline: all calls of a webhook about an object, in the order of their starts. */
export interface CallLane {
  readonly name: string;
  /** The name of the webhook. */
  readonly shortName: string;
  readonly resource: string;
  /** Empty for conversions. */
  readonly key: string;
  readonly calls: readonly Call[];
}

/** A part of a lane, in pixels. Items that would overlap share a bar. */
export interface Bar<Item> {
  readonly left: number;
  readonly width: number;
  readonly items: readonly Item[];
}

/** Returns the lanes of webhook calls, in the order of their first calls. */
export function callLanesOf(calls: readonly Call[]): CallLane[] {
  const lanes = new Map<string, CallLane & { readonly calls: Call[] }>();
  for (const call of calls) {
    const key = call.call === "conversion" ? "" : (keysOfCall(call)[0] ?? "");
    const webhook = webhookName(call);
    const { resource } = call;
    const name = `${webhook} ${resource} ${key}`;
    const shortName = call.call === "conversion" ? webhook : call.webhook;
    const lane = lanes.get(name) ?? { name, shortName, resource, key, calls: [] };
    lane.calls.push(call);
    lanes.set(name, lane);
  }
  for (const lane of lanes.values()) lane.calls.sort((a, b) => a.from - b.from);
  return [...lanes.values()].toSorted((a, b) => a.calls[0]!.from - b.calls[0]!.from);
}

/** The least width of a bar: it must be large enough to click. */
const leastBarWidth = 6;

/** Returns the bars of a lane between two moments. `scale` is in pixels per millisecond; `from` is at pixel 0. */
export function barsOf<Item extends { readonly from: number; readonly to: number }>(
  items: readonly Item[],
  from: number,
  to: number,
  scale: number,
): Bar<Item>[] {
  const bars: { left: number; width: number; items: Item[] }[] = [];
  for (const item of items) {
    if (item.to < from || item.from > to) continue;
    const left = (item.from - from) * scale;
    const width = Math.max(leastBarWidth, (item.to - item.from) * scale);
    const last = bars.at(-1);
    if (last && left < last.left + last.width + 1) {
      last.width = Math.max(last.width, left + width - last.left);
      last.items.push(item);
    } else bars.push({ left, width, items: [item] });
  }
  return bars;
}

/**
 * Returns the times in which an object failed: from the start of a reconcile that failed until one did not. A conflict, which is
 * retried at once, says nothing.
 */
export function failingStretches(
  reconciles: readonly Reconcile[],
  from: number,
  to: number,
): { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  let isFailing = false;
  for (const one of reconciles) {
    if (one.from > to) break;
    if (one.outcome === "conflict" || one.outcome === "unfinished") continue;
    const fails = one.outcome === "error" || one.outcome === "terminal";
    if (fails && !isFailing) found.push({ from: one.from, to });
    else if (!fails && isFailing) found.at(-1)!.to = one.from;
    isFailing = fails;
  }
  return found.flatMap((one) => (one.to <= from ? [] : [{ from: Math.max(one.from, from), to: one.to }]));
}

/** Actions on the page, in pixels. Actions without space for their words share a mark. */
export interface Mark {
  readonly left: number;
  /** The space until the next mark. */
  readonly width: number;
  readonly acts: readonly Printed[];
}

/** The least space of a mark, in pixels. */
const leastMarkWidth = 140;

/** Returns the marks between two moments. `scale` is in pixels per millisecond; `from` is at pixel 0. */
export function marksOf(acts: readonly Printed[], from: number, to: number, scale: number): Mark[] {
  const groups: { readonly left: number; readonly acts: Printed[] }[] = [];
  for (const act of acts) {
    if (act.at < from || act.at > to) continue;
    const left = (act.at - from) * scale;
    const last = groups.at(-1);
    if (last && left - last.left < leastMarkWidth) last.acts.push(act);
    else groups.push({ left, acts: [act] });
  }
  return groups.map((group, i) => ({
    ...group,
    width: (groups[i + 1]?.left ?? (to - from) * scale) - group.left,
  }));
}

/** The times between two ticks, in milliseconds. */
const tickSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 30e3, 60e3, 300e3, 600e3, 1800e3, 3600e3,
];
/** The least space between two ticks, in pixels. */
const leastTickGap = 90;

/** Returns the moments to label on the axis, with enough space for each label. */
export function ticksOf(from: number, to: number, scale: number): number[] {
  const step = tickSteps.find((candidate) => candidate * scale >= leastTickGap) ?? tickSteps.at(-1)!;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
