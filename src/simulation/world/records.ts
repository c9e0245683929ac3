import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Logger } from "@tsbuilder/runtime";
import type { LeftOut, TraceEvent } from "../contract/index.ts";
import type { EventLoop } from "./virtual-time.ts";
import type { Witness } from "./witness.ts";

/** Records of a run: the trace, the objects that only the cluster's controllers wrote, and counts of changes and failures. */

type Entry = TraceEvent extends infer One ? (One extends unknown ? Omit<One, "at"> : never) : never;

/** Writes the trace, with the virtual time of each event. */
export class Recorder {
  readonly trace: TraceEvent[] = [];
  readonly #loop: EventLoop;
  #isClosed = false;
  /** Sees the events of a run that is told. */
  witness: Witness | undefined;
  /** The time at which a process last logged an error. Its operator does not rest, since it will try again. */
  lastError = 0;

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** Adds an event. `error` is one that the event tells of. */
  add(entry: Entry, error?: unknown): void {
    if (this.#isClosed) return;
    // Rounded to microseconds: sums of fractions would differ in their last digits.
    const event = { at: Math.round(this.#loop.now * 1000) / 1000, ...entry };
    this.trace.push(event);
    this.witness?.note(event, error);
  }

  /** Ends the trace: later events are dropped. */
  close(): void {
    this.#isClosed = true;
  }

  /** Makes the logger of a process. Warnings and errors become part of the trace. */
  logger(process: string, object?: string): Logger {
    const write = (
      level: "warn" | "error",
      message: string,
      fields: { readonly [name: string]: unknown } = {},
    ): void => {
      const { error } = fields;
      const about = object ?? loggedKey(fields);
      if (level === "error") this.lastError = this.#loop.now;
      const text = error instanceof Error ? error.message : JSON.stringify(error);
      const details = {
        ...(text !== undefined && { error: text }),
        ...(about !== undefined && { object: about }),
      };
      this.add({ type: "log", process, level, message, ...details }, error);
    };
    return {
      debug: () => {},
      info: () => {},
      warn: (message, fields) => write("warn", message, fields),
      error: (message, fields) => write("error", message, fields),
      with: (fields) => this.logger(process, object ?? loggedKey(fields)),
      isEnabled: (level) => level === "warn" || level === "error",
    };
  }
}

/** Returns the key of the object that a log line is about, if its fields name one. */
function loggedKey({ namespace, name }: { readonly [name: string]: unknown }): string | undefined {
  return typeof name === "string"
    ? `${typeof namespace === "string" ? `${namespace}/` : ""}${name}`
    : undefined;
}

/** Tracks the objects and statuses that only the cluster's own controllers wrote. */
export class DerivedObjects {
  /** Uids of objects that they created, and that nobody else has written to. */
  readonly #objects = new Set<string>();
  /** Uids of objects whose status they wrote last. */
  readonly #statuses = new Set<string>();

  note(by: string, uid: string, { isNew, fields }: { isNew: boolean; fields: readonly string[] }): void {
    if (by !== "cluster") this.#objects.delete(uid);
    else if (isNew) this.#objects.add(uid);
    if (!fields.some((field) => field.startsWith("status"))) return;
    if (by === "cluster") this.#statuses.add(uid);
    else this.#statuses.delete(uid);
  }

  /** Returns those of the given objects that are derived. */
  among(objects: readonly KubernetesObject[]): LeftOut {
    const chosen = (uids: ReadonlySet<string>): Set<KubernetesObject> =>
      new Set(objects.filter(({ metadata }) => uids.has(metadata.uid ?? "")));
    return { objects: chosen(this.#objects), statuses: chosen(this.#statuses) };
  }
}

/** The number of objects of one kind and namespace that are told apart. Further ones may be made without end, under new names. */
const mostObjects = 20;

/** Counts the changes that processes make. */
export class ChangeCount {
  readonly #objects = new Map<string, number>();
  #recent = new Set<string>();
  /** The objects that are told apart, by their resource and namespace. */
  readonly #known = new Map<string, Set<string>>();
  all = 0;
  /** The changes of the object that was changed most often. */
  ofOneObject = 0;

  /** Adds a change. Objects with one `generateName` count as one: creating more and more of them is a loop, too. */
  add(resource: string, { metadata: { namespace = "", name = "", generateName } }: KubernetesObject): void {
    const key = `${resource} ${namespace}/${generateName ?? name}`;
    const count = (this.#objects.get(key) ?? 0) + 1;
    this.#objects.set(key, count);
    this.#recent.add(this.#textOf(`${resource} ${namespace}`, key.replaceAll(/\d+/g, "0")));
    this.ofOneObject = Math.max(this.ofOneObject, count);
    this.all++;
  }

  #textOf(place: string, key: string): string {
    const known = this.#known.get(place) ?? new Set();
    this.#known.set(place, known);
    if (known.size < mostObjects) known.add(key);
    return known.has(key) ? key : place;
  }

  /** Returns the objects that were changed since it was last called. Numbers in names, such as those of revisions and dates, don't count. */
  takeRecent(): ReadonlySet<string> {
    const recent = this.#recent;
    this.#recent = new Set();
    return recent;
  }

  clear(): void {
    this.#objects.clear();
    this.#recent.clear();
    this.#known.clear();
    this.all = 0;
    this.ofOneObject = 0;
  }
}

/** The number of times that the same attempt may fail before it counts as hopeless. */
const mostFailures = 3;

/** Counts the failed attempts of processes since the last change of any object. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  /** Counts an attempt that failed. Returns whether the next one may still succeed. */
  add(attempt: string): boolean {
    const count = (this.#counts.get(attempt) ?? 0) + 1;
    this.#counts.set(attempt, count);
    return count <= mostFailures;
  }

  clear(): void {
    this.#counts.clear();
  }
}
