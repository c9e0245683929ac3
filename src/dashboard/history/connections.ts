import { causesOf, objectOfCause } from "../../dev/record/causes.ts";
import { eventResources, keysOfCall } from "../../dev/record/recorded.ts";
import { type EventReference, type ToldEvent, toldEvent } from "../../dev/record/told-event.ts";
import {
  type Call,
  type History,
  type Printed,
  type Reconcile,
  type Revision,
  type Track,
  countUntil,
} from "./history.ts";
import { type RequestTarget, hasSucceeded, isWrite, placeOf, requestTarget } from "./request-target.ts";
import { isOperator } from "../../dev/record/writer.ts";

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

/** The reconciles whose writes made this one run: for each of its causes the last one that wrote the object before. */
export function whatLedTo(history: History, { causes, from }: Reconcile): Reconcile[] {
  const found = causes.flatMap((cause) => {
    const object = objectOfCause(cause);
    if (object === undefined) return [];
    return history
      .placesOf(object.kind, object.key)
      .flatMap(
        (place) =>
          about(history, place).wrote.findLast(({ reconcile }) => reconcile.from < from)?.reconcile ?? [],
      );
  });
  return [...new Set(found)];
}

/** Two processes stamp the times, each without the part of a millisecond that has passed. */
const callInaccuracy = 1;

/** The calls of webhooks that a reconcile's requests brought about, as far as time, user and objects tell. */
export function callsOf({ calls }: History, reconcile: Reconcile): readonly Call[] {
  const first = countUntil(calls, ({ to }) => to < reconcile.from - callInaccuracy);
  const end = countUntil(calls, ({ to }) => to <= reconcile.to + callInaccuracy);
  return calls.slice(first, end).filter((call) => isCallOf(call, reconcile));
}

/** The reconciles that may have brought about a call; more than one if they sent such a request at the same time. */
export function reconcilesBehind({ reconciles }: History, call: Call): readonly Reconcile[] {
  const first = countUntil(reconciles, ({ to }) => to < call.to - callInaccuracy);
  return reconciles.slice(first).filter((reconcile) => isCallOf(call, reconcile));
}

/** Whether a reconcile sent a request while which a webhook was asked about its object. */
export function isCallOf(call: Call, reconcile: Reconcile): boolean {
  if (call.from < reconcile.from - callInaccuracy || call.to > reconcile.to + callInaccuracy) return false;
  return isOperator(call.by) && reconcile.requests.some(({ method, path }) => isCallFor(call, method, path));
}

/** Whether a request may have brought about a call. */
export function isCallFor(call: Call, method: string, path: string): boolean {
  const target = requestTarget(path);
  if (target === undefined || target.resource !== call.resource) return false;
  if (!keysOfCall(call).some((key) => isAbout(target, key))) return false;
  if (call.call === "conversion") return true;
  if (call.subresource !== (target.subresource ?? "")) return false;
  return operations[method]?.includes(call.operation) === true;
}

/** What requests ask webhooks about. An object that is not there may be created by a patch, and replaced by it. */
const operations: Readonly<Record<string, readonly string[]>> = {
  GET: ["CONNECT"],
  POST: ["CREATE", "CONNECT"],
  PUT: ["UPDATE", "CREATE"],
  PATCH: ["UPDATE", "CREATE"],
  DELETE: ["DELETE"],
};

function isAbout({ namespace, name }: RequestTarget, key: string): boolean {
  const prefix = namespace === undefined ? "" : `${namespace}/`;
  return name === undefined ? key.startsWith(prefix) : key === `${prefix}${name}`;
}

/** In milliseconds. Lines reach dev after they were printed: on a busy machine, by seconds. Their ID says whose they are. */
const delay = 30_000;

/** What was logged in a reconcile: lines with its ID, which structured logs have. */
export function logOf({ printed }: History, { reconcileID, from, to }: Reconcile): Printed[] {
  const first = countUntil(printed, ({ at }) => at < from);
  const last = countUntil(printed, ({ at }) => at <= to + delay);
  return printed.slice(first, last).filter(({ text }) => text.includes(reconcileID));
}
