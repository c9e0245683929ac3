import { causesOf } from "../../dev/record/causes.ts";
import { eventResources } from "../../dev/record/places.ts";
import { type EventReference, type ToldEvent, toldEvent } from "../../dev/record/told-event.ts";
import type { History, Reconcile, Revision, Track } from "./history.ts";
import { hasSucceeded, isWrite, placeOf, type RequestTarget, requestTarget } from "./request-target.ts";

/** A reconcile that wrote an object, with the requests by which it did. */
export interface WritingReconcile {
  readonly reconcile: Reconcile;
  readonly requests: Reconcile["requests"];
}

/** The latest state of an Event. */
interface LastEvent {
  readonly place: string;
  readonly revision: Revision;
  readonly told: ToldEvent;
}

/** What is known about an object, each in the order of time. */
export interface About {
  /** The reconciles that ran because it changed. */
  readonly caused: readonly Reconcile[];
  readonly wrote: readonly WritingReconcile[];
  readonly events: readonly LastEvent[];
}

/** Finds what has to do with the objects of one name. */
export function about(history: History, place: string): About {
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
  return inOrder(reconciles.filter((reconcile) => reconcile.causes.some((cause) => causes.has(cause))));
}

function writersOf({ reconciles }: History, track: Track): WritingReconcile[] {
  const [plural = ""] = track.resource.split(".");
  const found = reconciles.flatMap((reconcile): WritingReconcile[] => {
    const requests = reconcile.requests.filter(({ method, path, code }) => {
      if (!hasSucceeded(code) || !path.includes(plural) || !isWrite(method, path)) return false;
      const target = requestTarget(path);
      return target !== undefined && isFor(target, method, reconcile, track);
    });
    return requests.length > 0 ? [{ reconcile, requests }] : [];
  });
  return found.sort((a, b) => a.reconcile.from - b.reconcile.from);
}

function isFor(target: RequestTarget, method: string, reconcile: Reconcile, track: Track): boolean {
  if (target.name !== undefined) return placeOf(target) === track.place && writesObject(method, target);
  if (target.resource !== track.resource || !holds(target.namespace, track.key)) return false;
  const write = method === "POST" ? "ADDED" : "DELETED";
  return track.revisions.some((revision) => revision.write === write && isDuring(revision, reconcile));
}

/** Such as the POST of a Pod's eviction, but not that of a ServiceAccount's token. */
function writesObject(method: string, { subresource }: RequestTarget): boolean {
  return method !== "POST" || subresource === "eviction" || subresource === "binding";
}

/** Whether a collection has an object; that of all namespaces has each. */
function holds(namespace: string | undefined, key: string): boolean {
  return namespace === undefined || key.startsWith(`${namespace}/`);
}

/** Two processes stamp the times, each without the part of a millisecond that has passed. */
const inaccuracy = 1;

function isDuring({ at }: Revision, { from, to }: Reconcile): boolean {
  return at >= from - inaccuracy && at <= to + inaccuracy;
}

function eventsAbout({ tracks }: History, { key, revisions }: Track): LastEvent[] {
  const kinds = new Set(revisions.map(({ object }) => object.kind));
  const events: LastEvent[] = [];
  for (const { resource, place, revisions } of tracks.values()) {
    if (!eventResources.has(resource)) continue;
    const revision = revisions.findLast(({ write }) => write !== "DELETED") ?? revisions.at(-1);
    if (revision === undefined) continue;
    const told = toldEvent({ resource, object: revision.object });
    if (told?.regarding && kinds.has(told.regarding.kind ?? "") && keyOf(told.regarding) === key)
      events.push({ place, revision, told });
  }
  return events.sort((a, b) => a.revision.at - b.revision.at);
}

/** An Event about an object without a namespace may name none, or an empty one. */
function keyOf({ namespace, name = "" }: EventReference): string {
  return namespace ? `${namespace}/${name}` : name;
}

function inOrder(reconciles: Reconcile[]): Reconcile[] {
  return reconciles.sort((a, b) => a.from - b.from);
}
