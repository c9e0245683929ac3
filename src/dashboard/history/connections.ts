// Connects the parts of a record: objects with the reconciles that they caused and that wrote them, reconciles with those
// that caused them, with webhook calls and with log lines. The record has no such links: times, users, paths and names show them.

import type { EventReference, EventSummary } from "../../dev/record/recorded.ts";
import { causesOf, eventResources, objectOfCause, summarizeEvent } from "../../dev/record/recorded.ts";
import type { Call, History, Printed, Reconcile, Revision, Track } from "./history.ts";
import { countUntil } from "../../dev/record/count-until.ts";
import {
  type RequestTarget,
  hasSucceeded,
  isWrite,
  placeOf,
  requestTarget,
} from "../../dev/record/request-target.ts";
import { clockInaccuracy, isCallOfReconcile } from "../../dev/record/webhook-call.ts";

/** A reconcile that wrote an object, with the requests that wrote it. */
export interface WritingReconcile {
  readonly reconcile: Reconcile;
  readonly requests: Reconcile["requests"];
}

/** The latest state of an Event. */
interface LastEvent {
  readonly place: string;
  readonly revision: Revision;
  readonly summary: EventSummary;
}

/** The reconciles and Events that belong to an object, in the order of time. */
export interface ObjectActivity {
  /** The reconciles that ran because the object changed. */
  readonly caused: readonly Reconcile[];
  readonly wrote: readonly WritingReconcile[];
  readonly events: readonly LastEvent[];
}

/** Returns the reconciles that an object caused or that wrote it, and the Events about it. */
export function activityOf(history: History, place: string): ObjectActivity {
  const track = history.tracks.get(place);
  if (track === undefined) return { caused: [], wrote: [], events: [] };
  return {
    caused: causedBy(history, track),
    wrote: writersOf(history, track),
    events: eventsAbout(history, track),
  };
}

/** Causes name no group, so an object of another group with the same kind and key counts, too. */
function causedBy({ reconciles }: History, { revisions, key }: Track): Reconcile[] {
  const kinds = new Set(revisions.map(({ object }) => object.kind));
  const causes = new Set([...kinds].flatMap((kind) => causesOf({ kind, key })));
  const caused = reconciles.filter((reconcile) => reconcile.causes.some((cause) => causes.has(cause)));
  return caused.sort((a, b) => a.from - b.from);
}

function writersOf({ reconciles }: History, track: Track): WritingReconcile[] {
  const [plural = ""] = track.resource.split(".");
  const found = reconciles.flatMap((reconcile): WritingReconcile[] => {
    const requests = reconcile.requests.filter(({ method, path, code }) => {
      if (!hasSucceeded(code) || !path.includes(plural) || !isWrite(method, path)) return false;
      const target = requestTarget(path);
      return target !== undefined && writesTrack(target, method, reconcile, track);
    });
    return requests.length > 0 ? [{ reconcile, requests }] : [];
  });
  return found.sort((a, b) => a.reconcile.from - b.reconcile.from);
}

function writesTrack(target: RequestTarget, method: string, reconcile: Reconcile, track: Track): boolean {
  if (target.name !== undefined) return placeOf(target) === track.place && writesObject(method, target);
  if (target.resource !== track.resource || !isCollectionOf(target.namespace, track.key)) return false;
  const write = method === "POST" ? "ADDED" : "DELETED";
  return track.revisions.some((revision) => revision.write === write && isDuring(revision, reconcile));
}

/** Returns true if a request changes the named object: a POST of a Pod's eviction does, of a ServiceAccount's token not. */
function writesObject(method: string, { subresource }: RequestTarget): boolean {
  return method !== "POST" || subresource === "eviction" || subresource === "binding";
}

/** Returns true if a collection contains the key; the collection of all namespaces contains every key. */
function isCollectionOf(namespace: string | undefined, key: string): boolean {
  return namespace === undefined || key.startsWith(`${namespace}/`);
}

function isDuring({ at }: Revision, { from, to }: Reconcile): boolean {
  return at >= from - clockInaccuracy && at <= to + clockInaccuracy;
}

function eventsAbout({ tracks }: History, { key, revisions }: Track): LastEvent[] {
  const kinds = new Set(revisions.map(({ object }) => object.kind));
  const events: LastEvent[] = [];
  for (const { resource, place, revisions } of tracks.values()) {
    if (!eventResources.has(resource)) continue;
    const revision = revisions.findLast(({ write }) => write !== "DELETED") ?? revisions.at(-1);
    if (revision === undefined) continue;
    const summary = summarizeEvent({ resource, object: revision.object });
    if (summary?.regarding && kinds.has(summary.regarding.kind ?? "") && eventKey(summary.regarding) === key)
      events.push({ place, revision, summary });
  }
  return events.sort((a, b) => a.revision.at - b.revision.at);
}

/** An Event about a cluster-scoped object has no namespace, or an empty one. */
function eventKey({ namespace, name = "" }: EventReference): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Returns the reconciles whose writes caused a reconcile: for each cause, the last one before it that wrote the object. */
export function causingReconciles(history: History, { causes, from }: Reconcile): Reconcile[] {
  const found = causes.flatMap((cause) => {
    const object = objectOfCause(cause);
    if (object === undefined) return [];
    return history
      .placesOf(object.kind, object.key)
      .flatMap(
        (place) =>
          activityOf(history, place).wrote.findLast(({ reconcile }) => reconcile.from < from)?.reconcile ??
          [],
      );
  });
  return [...new Set(found)];
}

/** Returns the webhook calls that a reconcile's requests caused, judged by time, user and object. */
export function callsOf({ calls }: History, reconcile: Reconcile): readonly Call[] {
  const first = countUntil(calls, ({ to }) => to < reconcile.from - clockInaccuracy);
  const end = countUntil(calls, ({ to }) => to <= reconcile.to + clockInaccuracy);
  return calls.slice(first, end).filter((call) => isCallOfReconcile(call, reconcile));
}

/** Returns the reconciles that may have caused a call: several, if they sent such requests at the same time. */
export function reconcilesOfCall({ reconciles }: History, call: Call): readonly Reconcile[] {
  const first = countUntil(reconciles, ({ to }) => to < call.to - clockInaccuracy);
  return reconciles.slice(first).filter((reconcile) => isCallOfReconcile(call, reconcile));
}

/** The time in milliseconds until a printed line reaches dev: seconds on a busy machine. */
const printDelay = 30_000;

/** Returns the log of a reconcile: the lines that contain its reconcileID, as structured logs do. */
export function logOf({ printed }: History, { reconcileID, from, to }: Reconcile): Printed[] {
  const first = countUntil(printed, ({ at }) => at < from);
  const last = countUntil(printed, ({ at }) => at <= to + printDelay);
  return printed.slice(first, last).filter(({ text }) => text.includes(reconcileID));
}
