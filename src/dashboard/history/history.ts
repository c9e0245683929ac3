import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { describeAction, describeFault } from "../../dev/record/describe-action.ts";
import {
  type Recorded,
  type RecordedCall,
  type RecordedText,
  type RecordedWrite,
  endedAt,
  placeName,
  placesOfCall,
  type RecordedSample,
} from "../../dev/record/recorded.ts";
import { verdictOf, webhookName } from "./webhook-call.ts";

/** An object as a write left it. */
export interface Revision {
  /** Its place among all writes, by which revisions of several objects are ordered. */
  readonly index: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly write: RecordedWrite["write"];
  readonly by: RecordedWrite["by"];
  readonly object: KubernetesObject;
}

/** All that is known of the objects that had one name, one after the other. */
export interface Track {
  /** Resource and key: `statefulsets.apps default/db`. */
  readonly place: string;
  readonly resource: string;
  /** `default/db`; without a namespace, `db`. */
  readonly key: string;
  readonly revisions: readonly Revision[];
}

/** A reconcile, with times in milliseconds since 1970. */
export type Reconcile = Extract<Recorded, { type: "reconcile" }> & {
  readonly from: number;
  readonly to: number;
};

/** A reconcile with its times in milliseconds. */
export function timed(reconcile: Extract<Recorded, { type: "reconcile" }>): Reconcile {
  return { ...reconcile, from: Date.parse(reconcile.at), to: endedAt(reconcile) };
}

/** A call of a webhook, with times in milliseconds since 1970. */
export type Call = RecordedCall & {
  readonly from: number;
  readonly to: number;
};

/** What was printed, or done on the page. */
export interface Printed {
  readonly at: number;
  readonly by: RecordedText["type"] | "page";
  readonly text: string;
}

interface GrowingTrack extends Track {
  readonly revisions: Revision[];
}

/** What a record has told so far, by objects and in the order of time. */
export class History {
  readonly #tracks = new Map<string, GrowingTrack>();
  readonly #reconciles: Reconcile[] = [];
  readonly #calls: Call[] = [];
  readonly #callIndex = new CallIndex();
  readonly #printed: Printed[] = [];
  readonly #acts: Printed[] = [];
  readonly #samples: Sample[] = [];
  readonly #places = new Map<string, Set<string>>();
  readonly #moments: number[] = [];
  #writes = 0;
  #from = Infinity;
  #to = -Infinity;
  #isFull = false;

  add(recorded: Recorded): void {
    const at = Date.parse(recorded.at);
    if (!(recorded.type === "write" && recorded.write === "KEPT")) this.#from = Math.min(this.#from, at);
    this.#to = Math.max(this.#to, at);
    switch (recorded.type) {
      case "write":
        return this.#addWrite(recorded, at);
      case "reconcile": {
        const reconcile = timed(recorded);
        this.#to = Math.max(this.#to, Math.ceil(reconcile.to));
        this.#reconciles.push(reconcile);
        return;
      }
      case "webhook":
        return this.#addCall(recorded, at);
      case "operator":
      case "dev":
        this.#printed.push({ at, by: recorded.type, text: recorded.text });
        return;
      case "action":
        return this.#addAct(at, describeAction(recorded));
      case "fault":
        return this.#addAct(at, describeFault(recorded));
      case "sample":
        this.#samples.push(sampleOf(recorded));
        return;
      case "full":
        this.#isFull = true;
    }
  }

  /** It is told when it has ended, after what was printed meanwhile. */
  #addAct(at: number, text: string): void {
    const act = { at, by: "page", text } as const;
    for (const list of [this.#acts, this.#printed])
      list.splice(
        countUntil(list, (each) => each.at <= at),
        0,
        act,
      );
  }

  #addWrite(recorded: RecordedWrite, at: number): void {
    const { resource, key, write, by, object } = recorded;
    if (write === "ADDED") this.#callIndex.created(recorded, at);
    if (write !== "KEPT" && at > (this.#moments.at(-1) ?? -Infinity)) this.#moments.push(at);
    const place = placeName({ resource, key });
    let track = this.#tracks.get(place);
    if (track === undefined) {
      track = { place, resource, key, revisions: [] };
      this.#tracks.set(place, track);
      const kept = this.#places.get(`${object.kind} ${key}`);
      if (kept === undefined) this.#places.set(`${object.kind} ${key}`, new Set([place]));
      else kept.add(place);
    }
    track.revisions.push({ index: this.#writes++, at, write, by, object });
  }

  #addCall(recorded: RecordedCall, at: number): void {
    const call = callOf(recorded, at);
    this.#to = Math.max(this.#to, Math.ceil(call.to));
    this.#calls.push(call);
    this.#callIndex.add(call);
  }

  /** How many writes were told. */
  get written(): number {
    return this.#writes;
  }

  get tracks(): ReadonlyMap<string, Track> {
    return this.#tracks;
  }

  /** In the order in which they ended. */
  get reconciles(): readonly Reconcile[] {
    return this.#reconciles;
  }

  /** The calls of webhooks, in the order in which they ended. */
  get calls(): readonly Call[] {
    return this.#calls;
  }

  /** The calls that were about an object. */
  callsAbout(place: string): readonly Call[] {
    return this.#callIndex.about(place);
  }

  get printed(): readonly Printed[] {
    return this.#printed;
  }

  /** What was done on the page, and what came of planned failures. */
  get acts(): readonly Printed[] {
    return this.#acts;
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  /** When the first thing happened; before anything did, Infinity. */
  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  /** Whether the record had no space for what followed. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** When the next write was, or the one before; undefined if there is none. */
  nextMoment(moment: number, direction: 1 | -1): number | undefined {
    const following = countUntil(this.#moments, (at) => at <= moment);
    if (direction === 1) return this.#moments[following];
    return this.#moments[countUntil(this.#moments, (at) => at < moment) - 1];
  }

  /** The places of the objects of a kind with a key, of any group: reconciles and causes name no group. */
  placesOf(kind: string, key: string): readonly string[] {
    return [...(this.#places.get(`${kind} ${key}`) ?? [])];
  }
}

/** How the operator's process did, with times in milliseconds since 1970. */
export interface Sample extends Omit<RecordedSample, "type" | "at" | "since" | "blockedUntil"> {
  readonly at: number;
  readonly since: number;
  /** Undefined if the event loop was not blocked. */
  readonly blockedUntil: number | undefined;
}

export function sampleOf({ at, since, blockedUntil, ...numbers }: RecordedSample): Sample {
  return {
    ...numbers,
    at: Date.parse(at),
    since: Date.parse(since),
    blockedUntil: blockedUntil === undefined ? undefined : Date.parse(blockedUntil),
  };
}

/** The last sample up to a moment: what it says holds until the next one. */
export function sampleAt(samples: readonly Sample[], moment: number): Sample | undefined {
  return samples[countUntil(samples, ({ at }) => at <= moment) - 1];
}

/** When the operator started again. */
export function restartsOf(samples: readonly Sample[]): number[] {
  const starts = [...new Set(samples.map(({ since }) => since))];
  return starts.slice(1);
}

/** In milliseconds: so long after a call its object is there, or never will be. */
const patience = 1000;

/** Finds the calls of webhooks that were about an object. */
class CallIndex {
  readonly #byPlace = new Map<string, Call[]>();
  /** Calls about new objects without a name yet, by where they are and how their name begins. */
  readonly #unnamed = new Map<string, Call[]>();

  add(call: Call): void {
    for (const place of placesOfCall(call)) this.#put(this.#byPlace, place, call);
    if (call.call === "conversion" || call.object?.metadata.name || call.operation !== "CREATE") return;
    const verdict = verdictOf(call);
    if (verdict === "denied" || verdict === "failed" || call.dryRun) return;
    this.#put(this.#unnamed, placeName(call), call);
  }

  /** An object is there: of each webhook that was asked about one of such a name, the first call that is left was about it. */
  created({ resource, key, object }: RecordedWrite, at: number): void {
    const { namespace, name = "", generateName } = object.metadata;
    if (!generateName || !name.startsWith(generateName)) return;
    const unnamed = namespace === undefined ? generateName : `${namespace}/${generateName}`;
    const place = placeName({ resource, key: unnamed });
    const waiting = this.#unnamed.get(place)?.filter(({ to }) => to >= at - patience);
    if (waiting === undefined) return;
    const found = new Map<string, Call>();
    for (const call of waiting) if (!found.has(webhookName(call))) found.set(webhookName(call), call);
    const calls = new Set(found.values());
    for (const call of calls) this.#put(this.#byPlace, placeName({ resource, key }), call);
    this.#unnamed.set(
      place,
      waiting.filter((call) => !calls.has(call)),
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

/** A call with its times, which began at a moment. */
export function callOf(recorded: RecordedCall, at: number): Call {
  return { ...recorded, from: at, to: at + recorded.seconds * 1000 };
}

/** The last revision up to a moment; undefined if the object was not there, or is unknown. */
export function revisionAt({ revisions }: Track, moment: number): Revision | undefined {
  const found = revisions[countUntil(revisions, ({ at }) => at <= moment) - 1];
  return found?.write === "DELETED" ? undefined : found;
}

/** How many of the first items are so; none of those after them is. */
export function countUntil<T>(items: readonly T[], isSo: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
