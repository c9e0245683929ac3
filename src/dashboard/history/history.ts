// A recorded session of `dev`, as the page reads it. Begin here: `History` indexes the lines of the record. `connections` finds
// which parts belong together, `owner-tree` the tree of objects, `object-yaml` the writer of each field, and `problems` says each
// cause of what is wrong once.

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { describeAction, describeFault } from "../../dev/record/describe-action.ts";
import type { Recorded, RecordedCall, RecordedText, RecordedWrite } from "../../dev/record/recorded.ts";
import { keyName, placeName, placesOfCall } from "../../dev/record/recorded.ts";
import {
  type Call,
  type Reconcile,
  type Sample,
  callOf,
  reconcileOf,
  sampleOf,
} from "../../dev/record/timed.ts";
import { countUntil } from "../../dev/record/count-until.ts";
import { verdictOf, webhookName } from "../../dev/record/webhook-call.ts";

export type { Call, Reconcile, Sample };

/** The revisions of all objects that had the same resource and key, one object after the other. */
export interface Track {
  /** Resource and key: `statefulsets.apps default/db`. */
  readonly place: string;
  readonly resource: string;
  /** `default/db`; without a namespace, `db`. */
  readonly key: string;
  readonly revisions: readonly Revision[];
}

/** All reconciles of one request of a controller, in the order of their starts: one request is never reconciled twice at once. */
export interface Lane {
  /** Controller and request: `mysql default/db`. */
  readonly name: string;
  readonly controller: string;
  readonly request: string;
  readonly reconciles: readonly Reconcile[];
}

/** A line of the log: output of the operator or of dev, or an action on the page. */
export interface Printed {
  readonly at: number;
  readonly by: RecordedText["type"] | "page";
  readonly text: string;
}

/** The state of an object after a write. */
export interface Revision {
  /** Counts all writes of the record, so that revisions of several objects can be ordered. */
  readonly index: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly write: RecordedWrite["write"];
  readonly by: RecordedWrite["by"];
  readonly object: KubernetesObject;
}

interface GrowingTrack extends Track {
  readonly revisions: Revision[];
}

/** The record so far, indexed by object and sorted by time, for views and detectors. Lines are added as they arrive. */
export class History {
  readonly #tracks = new Map<string, GrowingTrack>();
  readonly tracks: ReadonlyMap<string, Track> = this.#tracks;
  readonly #reconciles: Reconcile[] = [];
  /** The reconciles, in the order in which they ended. */
  readonly reconciles: readonly Reconcile[] = this.#reconciles;
  readonly #lanes = new Map<string, Lane & { readonly reconciles: Reconcile[] }>();
  readonly lanes: ReadonlyMap<string, Lane> = this.#lanes;
  /** The kind that each controller reconciles, as its log lines name it. */
  readonly #kinds = new Map<string, string>();
  readonly #calls: Call[] = [];
  /** The webhook calls, in the order in which they ended. */
  readonly calls: readonly Call[] = this.#calls;
  readonly #callIndex = new CallIndex();
  readonly #printed: Printed[] = [];
  readonly printed: readonly Printed[] = this.#printed;
  readonly #actions: Printed[] = [];
  /** Actions on the page, and the failures that the page planned and a request met. */
  readonly actions: readonly Printed[] = this.#actions;
  readonly #samples: Sample[] = [];
  readonly samples: readonly Sample[] = this.#samples;
  /** The places by kind and key, of all groups. */
  readonly #places = new Map<string, Set<string>>();
  /** The times of the writes, each once, for `nextMoment`. */
  readonly #writeTimes: number[] = [];
  /** The places that were written, in order, with the times; without objects that existed before. */
  readonly #written: { readonly at: number; readonly place: string }[] = [];
  /** False once a write is older than the one before it, as when somebody sets the clock back. */
  #isOrdered = true;
  #writes = 0;
  #from = Infinity;
  #to = -Infinity;
  #isFull = false;

  /** The kinds of the recorded objects. */
  get kinds(): ReadonlySet<string> {
    return new Set([...this.#tracks.values()].map(({ revisions }) => revisions[0]!.object.kind));
  }

  add(recorded: Recorded): void {
    const at = Date.parse(recorded.at);
    // KEPT is an object that existed when the record began, not an event.
    if (!(recorded.type === "write" && recorded.write === "KEPT")) this.#from = Math.min(this.#from, at);
    this.#to = Math.max(this.#to, at);
    switch (recorded.type) {
      case "write":
        return this.#addWrite(recorded, at);
      case "reconcile": {
        const reconcile = reconcileOf(recorded);
        this.#to = Math.max(this.#to, Math.ceil(reconcile.to));
        this.#reconciles.push(reconcile);
        return this.#addToLane(reconcile);
      }
      case "webhook":
        return this.#addCall(recorded, at);
      case "operator":
      case "dev":
        this.#printed.push({ at, by: recorded.type, text: recorded.text });
        return this.#readKind(recorded.text);
      case "action":
        return this.#addAction(at, describeAction(recorded));
      case "fault":
        return this.#addAction(at, describeFault(recorded));
      case "sample":
        this.#samples.push(sampleOf(recorded));
        return;
      case "full":
        this.#isFull = true;
    }
  }

  /** Inserts an action where it began: the record has it when it ends, after the lines that were printed while it ran. */
  #addAction(at: number, text: string): void {
    const action = { at, by: "page", text } as const;
    for (const list of [this.#actions, this.#printed])
      list.splice(
        countUntil(list, (each) => each.at <= at),
        0,
        action,
      );
  }

  #addWrite(recorded: RecordedWrite, at: number): void {
    const { resource, key, write, by, object } = recorded;
    if (write === "ADDED") this.#callIndex.created(recorded, at);
    if (write !== "KEPT" && at > (this.#writeTimes.at(-1) ?? -Infinity)) this.#writeTimes.push(at);
    const place = placeName({ resource, key });
    if (write !== "KEPT") {
      if (at < (this.#written.at(-1)?.at ?? -Infinity)) this.#isOrdered = false;
      this.#written.push({ at, place });
    }
    let track = this.#tracks.get(place);
    if (track === undefined) {
      track = { place, resource, key, revisions: [] };
      this.#tracks.set(place, track);
      const places = this.#places.get(`${object.kind} ${key}`);
      if (places === undefined) this.#places.set(`${object.kind} ${key}`, new Set([place]));
      else places.add(place);
    }
    track.revisions.push({ index: this.#writes++, at, write, by, object });
  }

  #addToLane(reconcile: Reconcile): void {
    const { controller, request } = reconcile;
    const name = laneName(reconcile);
    const lane = this.#lanes.get(name);
    if (lane === undefined) this.#lanes.set(name, { name, controller, request, reconciles: [reconcile] });
    else lane.reconciles.push(reconcile);
  }

  #readKind(text: string): void {
    const [, kind] = /"controllerKind":"([^"]+)"/u.exec(text) ?? [];
    const [, controller] = (kind && /"controller":"([^"]+)"/u.exec(text)) || [];
    if (controller !== undefined) this.#kinds.set(controller, kind!);
  }

  /** Returns the place of the object that a request of a controller is about; undefined if it is not in the record. */
  placeOfRequest({ controller, request }: Pick<Lane, "controller" | "request">): string | undefined {
    const kind = this.#kinds.get(controller);
    if (kind !== undefined) return this.placesOf(kind, request)[0];
    for (const [place, { key, revisions }] of this.#tracks)
      if (key === request && revisions[0]!.object.kind.toLowerCase() === controller.toLowerCase())
        return place;
    return undefined;
  }

  #addCall(recorded: RecordedCall, at: number): void {
    const call = callOf(recorded, at);
    this.#to = Math.max(this.#to, Math.ceil(call.to));
    this.#calls.push(call);
    this.#callIndex.add(call);
  }

  get written(): number {
    return this.#writes;
  }

  /** Returns the places that were written between two moments; undefined if it is unknown. */
  writtenBetween(one: number, other: number): readonly string[] | undefined {
    const [from, to] = one < other ? [one, other] : [other, one];
    if (!this.#isOrdered || from < this.#from) return undefined;
    const first = countUntil(this.#written, ({ at }) => at <= from);
    const end = countUntil(this.#written, ({ at }) => at <= to);
    return this.#written.slice(first, end).map(({ place }) => place);
  }

  callsAbout(place: string): readonly Call[] {
    return this.#callIndex.about(place);
  }

  /** The time of the first event in milliseconds since 1970; Infinity while there is none. */
  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  /** True if the record reached its size limit, so that later events are missing. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Returns the time of the write after (1) or before (-1) a moment; undefined if there is none. */
  nextMoment(moment: number, direction: 1 | -1): number | undefined {
    const following = countUntil(this.#writeTimes, (at) => at <= moment);
    if (direction === 1) return this.#writeTimes[following];
    return this.#writeTimes[countUntil(this.#writeTimes, (at) => at < moment) - 1];
  }

  /** Returns the places of all objects with a kind and key, of any group: reconciles and causes name no group. */
  placesOf(kind: string, key: string): readonly string[] {
    return [...(this.#places.get(`${kind} ${key}`) ?? [])];
  }
}

/** The longest time between an admission call and the creation of its object, in milliseconds. */
const longestCreation = 1000;

/** Finds the webhook calls for an object, including calls for an object that had no name yet. */
class CallIndex {
  readonly #byPlace = new Map<string, Call[]>();
  /** Calls for new objects with a `generateName`, by the place with that prefix instead of a name. */
  readonly #unnamed = new Map<string, Call[]>();

  add(call: Call): void {
    for (const place of placesOfCall(call)) this.#put(this.#byPlace, place, call);
    if (call.call === "conversion" || call.object?.metadata.name || call.operation !== "CREATE") return;
    const verdict = verdictOf(call);
    if (verdict === "denied" || verdict === "failed" || call.dryRun) return;
    this.#put(this.#unnamed, placeName(call), call);
  }

  /** Assigns calls to an object that was created with a generated name: the earliest open call of each webhook. */
  created({ resource, key, object }: RecordedWrite, at: number): void {
    const { namespace, name = "", generateName } = object.metadata;
    if (!generateName || !name.startsWith(generateName)) return;
    const place = placeName({ resource, key: keyName({ namespace, name: generateName }) });
    const candidates = this.#unnamed.get(place)?.filter(({ to }) => to >= at - longestCreation);
    if (candidates === undefined) return;
    const found = new Map<string, Call>();
    for (const call of candidates) if (!found.has(webhookName(call))) found.set(webhookName(call), call);
    const calls = new Set(found.values());
    for (const call of calls) this.#put(this.#byPlace, placeName({ resource, key }), call);
    this.#unnamed.set(
      place,
      candidates.filter((call) => !calls.has(call)),
    );
  }

  about(place: string): readonly Call[] {
    return this.#byPlace.get(place) ?? [];
  }

  #put(calls: Map<string, Call[]>, place: string, call: Call): void {
    const known = calls.get(place);
    if (known === undefined) calls.set(place, [call]);
    else known.push(call);
  }
}

/** Returns the name of the lane of a request. */
export function laneName({ controller, request }: Pick<Lane, "controller" | "request">): string {
  return `${controller} ${request}`;
}

/** Returns the last revision up to a moment; undefined if the object did not exist then, or is unknown. */
export function revisionAt({ revisions }: Track, moment: number): Revision | undefined {
  const found = revisions[countUntil(revisions, ({ at }) => at <= moment) - 1];
  return found?.write === "DELETED" ? undefined : found;
}

/** Returns the last sample up to a moment: its numbers hold until the next one. */
export function sampleAt(samples: readonly Sample[], moment: number): Sample | undefined {
  return samples[countUntil(samples, ({ at }) => at <= moment) - 1];
}

/** Returns the times at which the operator was started again. */
export function restartsOf(samples: readonly Sample[]): number[] {
  const starts = [...new Set(samples.map(({ since }) => since))];
  return starts.slice(1);
}
