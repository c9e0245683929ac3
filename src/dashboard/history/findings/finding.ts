import { type KubernetesObject, changedFields } from "@tsbuilder/apimachinery/meta";
import { isObject, memberOf } from "@tsbuilder/apimachinery/json";
import type { RecordedWrite } from "../../../dev/record/recorded.ts";
import type { Call, Reconcile, Sample } from "../history.ts";

/** Something in a record that is likely to be a mistake. */
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
  /** A sentence that says what happened, and what to do. */
  readonly text: string;
  /** When it began, in milliseconds since 1970. */
  readonly from: number;
  /** When it was seen for the last time. */
  readonly at: number;
  /** The objects that it is about. */
  readonly places: readonly string[];
  /** The requests whose reconciles it is about. */
  readonly requests: readonly FoundRequest[];
  /** The uid of a webhook's call that shows it. */
  readonly call?: string;
}

/** What a controller reconciles. */
export interface FoundRequest {
  readonly controller: string;
  readonly request: string;
}

/** A write, with what is known about its object. */
export interface SeenWrite {
  readonly place: string;
  readonly key: string;
  readonly at: number;
  readonly write: RecordedWrite["write"];
  readonly by: RecordedWrite["by"];
  readonly writer: string;
  readonly object: KubernetesObject;
  /** What it changed in the object that was there. */
  changes(): readonly Change[];
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

/** Requests of a reconcile. */
export type AskedRequests = ReadonlySet<Reconcile["requests"][number]>;

/** A call of a webhook, with what it made of the object. */
export interface SeenCall {
  readonly call: Call;
  /** Undefined if it changed nothing. */
  readonly patched: () => KubernetesObject | undefined;
}

/** Looks for one kind of mistake. */
export interface Detector {
  seeWrite?(write: SeenWrite): void;
  /** `asked` are those of its requests that failed or waited because the page asked for it. */
  seeReconcile?(reconcile: Reconcile, asked: AskedRequests): void;
  seeSample?(sample: Sample): void;
  seeCall?(seen: SeenCall): void;
  /** What was found up to a moment, to which the record is known. */
  found(now: number): readonly Finding[];
}

/** Something that happened again and again. */
export interface Episode<Detail> {
  readonly key: string;
  count: number;
  readonly from: number;
  at: number;
  readonly detail: Detail;
}

interface Limits {
  /** How often it must happen to be told. */
  readonly least: number;
  /** After so many milliseconds without, it is over; what happens later begins anew. */
  readonly pause?: number;
}

/** Counts by keys what happens again and again. */
export class Episodes<Detail> {
  readonly #least: number;
  readonly #pause: number;
  readonly #running = new Map<string, Episode<Detail>>();
  readonly #told: Episode<Detail>[] = [];

  constructor({ least, pause = Infinity }: Limits) {
    this.#least = least;
    this.#pause = pause;
  }

  /** It happened; the first time of an episode makes its detail. */
  hit(key: string, at: number, begin: () => Detail): Detail {
    let episode = this.#running.get(key);
    if (episode === undefined || at - episode.at > this.#pause) {
      episode = { key, count: 0, from: at, at, detail: begin() };
      this.#running.set(key, episode);
    }
    episode.at = Math.max(episode.at, at);
    if (++episode.count === this.#least) this.#told.push(episode);
    return episode.detail;
  }

  /** What happens later begins anew. */
  end(key: string): void {
    this.#running.delete(key);
  }

  detailOf(key: string): Detail | undefined {
    return this.#running.get(key)?.detail;
  }

  /** Those that happened often enough, which may be over. */
  get told(): readonly Readonly<Episode<Detail>>[] {
    return this.#told;
  }
}

/** `a, b, c and 2 more`. */
export function listed(items: readonly string[], most = 3): string {
  if (items.length <= 1) return items.join("");
  if (items.length > most) return `${items.slice(0, most).join(", ")} and ${items.length - most} more`;
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** `once`, `twice`, `3 times`. */
export function times(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;
}

/** `120 ms`, `4.2 s`, `3 min`. */
export function span(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** A value on one line, if it is short. */
export function shortValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return shortened(text, 40);
}

/** The first line of a text, and not too much of it. */
export function shortened(text: string, most: number): string {
  const [line = ""] = text.split("\n");
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
