import { type KubernetesObject, changedFields } from "@tsbuilder/apimachinery/meta";
import { isObject, memberOf } from "@tsbuilder/apimachinery/json";
import type { RecordedWrite } from "../recorded.ts";
import type { Call, Reconcile, Sample } from "../timed.ts";

/** A probable mistake that a detector found in a record. */
export interface Finding {
  readonly kind:
    | "fight"
    | "hot loop"
    | "missing right"
    | "slow request"
    | "retry loop"
    | "conflicts"
    | "stuck deletion"
    | "slow webhook"
    | "failing webhook"
    | "denied writes"
    | "restless webhook"
    | "undone writes"
    | "blocked event loop"
    | "growing queue"
    | "growing memory";
  readonly title: string;
  /** A sentence about what happened, and what to do. */
  readonly text: string;
  /** The first time that it happened, in milliseconds since 1970. */
  readonly from: number;
  /** The last time that it happened. */
  readonly at: number;
  /** The places of the objects that it is about. */
  readonly places: readonly string[];
  /** The requests whose reconciles it is about. */
  readonly requests: readonly FoundRequest[];
  /** The uid of a webhook call that is an example of it. */
  readonly call?: string;
}

/** The time in milliseconds after which a finding that happened no more is over. */
const lastingTime = 60_000;

/** Returns true for a finding that still happens. */
export function isLasting({ at }: Pick<Finding, "at">, now: number): boolean {
  return now - at <= lastingTime;
}

/** A finding as a detector returns it: without places or requests, it is about none. */
export type Found = Omit<Finding, "places" | "requests"> & Partial<Pick<Finding, "places" | "requests">>;

/** A request of a controller: the object that it reconciles. */
export interface FoundRequest {
  readonly controller: string;
  readonly request: string;
}

/** Looks for one kind of mistake. */
export interface Detector {
  seeWrite?(write: SeenWrite): void;
  /** Receives a reconcile that ended; `planned` are the requests that the page let fail or wait. */
  seeReconcile?(reconcile: Reconcile, planned: PlannedRequests): void;
  seeSample?(sample: Sample): void;
  seeCall?(seen: SeenCall): void;
  /** Returns the findings up to a moment, which is the time of the last event, or now. */
  found(now: number): readonly Found[];
}

/** A write with the changes that it made to its object. */
export interface SeenWrite {
  readonly place: string;
  readonly key: string;
  readonly at: number;
  readonly write: RecordedWrite["write"];
  readonly by: RecordedWrite["by"];
  readonly writer: string;
  readonly isDeleting: boolean;
  /** Parses the object, which a running session has as bytes: for most writes nobody asks. */
  readonly object: () => KubernetesObject;
  /** Returns the changes, which are computed on demand; none for an object that did not exist before. */
  changes(): readonly Change[];
}

/** Requests of a reconcile that failed or waited because a user planned it on the page: no mistakes of the operator. */
export type PlannedRequests = ReadonlySet<Reconcile["requests"][number]>;

/** A call of a webhook with the object that its patch results in. */
export interface SeenCall {
  readonly call: Call;
  /** Returns undefined if the webhook changed nothing. */
  readonly patched: () => KubernetesObject | undefined;
}

/** A field that differs between two states of an object. */
export interface Change {
  /** As `changedFields()` names it. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Returns the fields that differ between two stored states of an object, down to the first list. A spec of the same
 * generation is not compared: the API server increases the generation with each change of it.
 */
export function changesOf(before: KubernetesObject, after: KubernetesObject): Change[] {
  const { generation } = before.metadata;
  const isSameSpec = generation !== undefined && generation === after.metadata.generation;
  const { spec } = before as { readonly spec?: unknown };
  return unstoredChangesOf(before, isSameSpec ? Object.assign({}, after, { spec }) : after);
}

/** Returns the fields that differ between two states that a webhook saw: their generations are not counted yet. */
export function unstoredChangesOf(before: KubernetesObject, after: KubernetesObject): Change[] {
  return changedFields(before, after).map((path) => ({
    path,
    before: valueAt(before, path),
    after: valueAt(after, path),
  }));
}

/** Returns the value at a path of `changedFields()`, whose names may contain dots, as those of labels do. */
function valueAt(object: unknown, path: string): unknown {
  if (!isObject(object)) return undefined;
  if (Object.hasOwn(object, path)) return object[path];
  for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
    const value = valueAt(memberOf(object, path.slice(0, dot)), path.slice(dot + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A series of equal events. */
export interface Episode<Detail> {
  readonly key: string;
  count: number;
  readonly from: number;
  at: number;
  readonly detail: Detail;
}

interface Limits {
  /** The number of events from which on an episode counts. */
  readonly least: number;
  /** The time in milliseconds without an event after which the next event begins a new episode. Default: no limit. */
  readonly pause?: number;
}

/** Groups equal events into episodes, by key. */
export class Episodes<Detail> {
  readonly #least: number;
  readonly #pause: number;
  readonly #running = new Map<string, Episode<Detail>>();
  readonly #counted: Episode<Detail>[] = [];
  /** The findings of the counted episodes, until their next events. */
  readonly #described = new Map<Episode<Detail>, Finding>();

  constructor({ least, pause = Infinity }: Limits) {
    this.#least = least;
    this.#pause = pause;
  }

  /** Counts an event; the first event of an episode creates its detail. */
  hit(key: string, at: number, begin: () => Detail): Detail {
    let episode = this.#running.get(key);
    if (episode === undefined || at - episode.at > this.#pause) {
      episode = { key, count: 0, from: at, at, detail: begin() };
      this.#running.set(key, episode);
    }
    episode.at = Math.max(episode.at, at);
    this.#described.delete(episode);
    if (++episode.count === this.#least) this.#counted.push(episode);
    return episode.detail;
  }

  /** Ends an episode: the next event with this key begins a new one. */
  end(key: string): void {
    this.#running.delete(key);
  }

  detailOf(key: string): Detail | undefined {
    return this.#running.get(key)?.detail;
  }

  /** Returns the episodes with enough events, including those that are over. */
  get counted(): readonly Readonly<Episode<Detail>>[] {
    return this.#counted;
  }

  /**
   * Describes each counted episode by a finding. An episode without a new event keeps its finding: there may be thousands, and
   * each second somebody asks.
   */
  found(
    describe: (episode: Readonly<Episode<Detail>>) => Omit<Found, "from" | "at">,
    isFound: (episode: Readonly<Episode<Detail>>) => boolean = () => true,
  ): Finding[] {
    return this.#counted.filter(isFound).map((episode) => {
      let finding = this.#described.get(episode);
      if (finding !== undefined) return finding;
      const { from, at } = episode;
      finding = completed({ ...describe(episode), from, at });
      this.#described.set(episode, finding);
      return finding;
    });
  }
}

/** Returns a finding that is about no place or request unless its detector named some. */
export function completed(found: Found): Finding {
  return { places: [], requests: [], ...found };
}

/** Groups items by a key, in the order of the first item of each group. */
export function groupBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Returns the time of several episodes together, and the count of the longest one. */
export function together(
  episodes: readonly Readonly<Episode<unknown>>[],
): Pick<Episode<unknown>, "from" | "at" | "count"> {
  return {
    from: Math.min(...episodes.map(({ from }) => from)),
    at: Math.max(...episodes.map(({ at }) => at)),
    count: Math.max(...episodes.map(({ count }) => count)),
  };
}

/** Formats a list: `a, b, c and 2 more`. */
export function listed(items: readonly string[], most = 3): string {
  if (items.length <= 1) return items.join("");
  if (items.length > most) return `${items.slice(0, most).join(", ")} and ${items.length - most} more`;
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** Formats a count: `once`, `twice`, `3 times`. */
export function times(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;
}

/** Formats a duration: `120 ms`, `4.2 s`, `3 min`. */
export function span(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** Formats a value as JSON of at most 40 characters. */
export function shortValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return shortened(text, 40);
}

/** Returns the first line of a text, cut to a length in its middle: messages of errors begin with what failed, and end with why. */
export function shortened(text: string, most: number): string {
  const [line = ""] = text.split("\n");
  if (line.length <= most) return line;
  const end = Math.floor(most / 3);
  return `${line.slice(0, most - end)}…${line.slice(-end)}`;
}
