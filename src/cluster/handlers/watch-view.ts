import { type Status, apiVersionOf } from "@tsbuilder/apimachinery/meta";
import type { Change } from "../storage/change.ts";
import { Entry } from "../storage/entry.ts";
import type { ListOptions } from "./list-options.ts";
import { type Representation, partialOf, tableOf } from "./representation.ts";
import type { Target } from "./target.ts";
import type { ApiObject } from "../contract/api-object.ts";

type Predicate = NonNullable<ListOptions["matches"]>;

interface ViewOptions {
  readonly target: Target;
  readonly matches: Predicate | undefined;
  readonly representation: Representation;
  readonly include: "None" | "Metadata" | "Object";
}

/** What a watcher sees of a resource: objects of its namespace that match its selectors, in a version and form. */
export class WatchView {
  readonly target: Target;
  readonly encoder: EventEncoder;
  /** What keys of the objects start with. */
  readonly prefix: string;
  readonly #matches: Predicate | undefined;
  readonly #form: Representation;

  constructor({ target, matches, representation, include }: ViewOptions) {
    const { resource, namespace } = target;
    this.target = target;
    this.encoder = new EventEncoder(target, representation, include);
    this.prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
    this.#matches = matches;
    this.#form = representation;
  }

  /**
   * The same for views of one resource that see the same lines. Rows of a Table depend on what came before them, and
   * lines that a webhook converts take time: views of these have none.
   */
  get key(): string | undefined {
    const { resource, version } = this.target;
    const { form, metaVersion } = this.#form;
    const isAlone = this.#matches || form === "table" || resource.renamesVersions === false;
    return isAlone ? undefined : `${version} ${form} ${metaVersion} ${this.prefix}`;
  }

  shows(entry: Entry): boolean {
    return this.#matches?.(entry.object) ?? true;
  }

  /** The line of a change, or undefined if it is not seen. A conversion webhook takes time. */
  line(change: Change): Buffer | undefined | Promise<Buffer | undefined> {
    if (!change.entry.key.startsWith(this.prefix)) return undefined;
    const known = this.#matches ? undefined : this.encoder.known(change, change.type);
    if (known) return known;
    const { resource, version } = this.target;
    const entry = resource.present(change.entry, version);
    const previous = change.previous && resource.present(change.previous, version);
    if (entry instanceof Promise || previous instanceof Promise) {
      return Promise.all([entry, previous]).then(([now, before]) => this.#encode(change, now, before));
    }
    return this.#encode(change, entry, previous);
  }

  #encode(change: Change, entry: Entry, previous: Entry | undefined): Buffer | undefined {
    const type = this.#matches ? transition(change, this.#matches, entry, previous) : change.type;
    return type && this.encoder.change(change, type, entry, previous);
  }
}

/** For this watcher, an object that starts to match is added, and one that no longer matches is deleted. */
function transition(
  change: Change,
  matches: Predicate,
  entry: Entry,
  previous: Entry | undefined,
): EventType | undefined {
  const before = previous !== undefined && matches(previous.object);
  const after = change.type !== "DELETED" && matches(entry.object);
  if (before) return after ? "MODIFIED" : "DELETED";
  return after ? "ADDED" : undefined;
}

type EventType = Change["type"];

const newline = Buffer.from("}\n");

/** Encodes watch events in one representation; whole objects are encoded once for all watchers. */
class EventEncoder {
  readonly #target: Target;
  readonly #representation: Representation;
  readonly #include: "None" | "Metadata" | "Object";
  /** Names the bytes of a change for all watchers with the same representation. */
  readonly #keys: Readonly<Record<EventType, string>>;
  #rowsSent = false;

  constructor(target: Target, representation: Representation, include: "None" | "Metadata" | "Object") {
    this.#target = target;
    this.#representation = representation;
    this.#include = include;
    const { resource, version } = target;
    // Two groups may share a collection, as Events do.
    const key = `${resource.group}/${version} ${representation.form} ${representation.metaVersion}`;
    this.#keys = { ADDED: `${key} ADDED`, MODIFIED: `${key} MODIFIED`, DELETED: `${key} DELETED` };
  }

  /** The ADDED event of an object that existed before the watch began. */
  initial(entry: Entry): Buffer {
    return this.#line("ADDED", entry);
  }

  /** The event of a change that another watcher has sent already. */
  known(change: Change, type: EventType): Buffer | undefined {
    return change.encoded?.get(this.#keys[type]);
  }

  change(change: Change, type: EventType, entry: Entry, previous: Entry | undefined): Buffer {
    const known = this.known(change, type);
    if (known) return known;
    const left = type === "DELETED" && change.type !== "DELETED";
    const line = this.#line(type, left ? stampedWith(previous!, change.revision) : entry);
    // A row depends on what its watcher got before.
    if (this.#representation.form === "table") return line;
    change.encoded ??= new Map();
    change.encoded.set(this.#keys[type], line);
    return line;
  }

  /** A bookmark; the one after the initial objects has an annotation. */
  bookmark(revision: number, initialEventsEnd: boolean): Buffer {
    const { resource, version } = this.#target;
    const empty = resource.bookmarkObject?.(version);
    const { annotations } = (empty?.["metadata"] ?? {}) as ApiObject["metadata"];
    const metadata = {
      resourceVersion: String(revision),
      ...((annotations || initialEventsEnd) && {
        annotations: { ...annotations, ...(initialEventsEnd && { "k8s.io/initial-events-end": "true" }) },
      }),
    };
    const apiVersion = apiVersionOf({ group: resource.group, version });
    const object = { ...empty, kind: resource.kind, apiVersion, metadata };
    return this.#line("BOOKMARK", new Entry("", revision, object));
  }

  error(status: Status): Buffer {
    return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
  }

  #line(type: EventType | "BOOKMARK", entry: Entry): Buffer {
    const head = Buffer.from(`{"type":"${type}","object":`);
    return Buffer.concat([head, this.#bytes(type, entry), newline]);
  }

  #bytes(type: EventType | "BOOKMARK", entry: Entry): Buffer {
    const { form, metaVersion } = this.#representation;
    if (form === "object") return entry.bytes;
    if (form === "partial") return Buffer.from(JSON.stringify(partialOf(entry, this.#target, metaVersion)));
    const table = tableOf([entry], this.#target, {
      metaVersion,
      include: this.#include,
      now: this.#target.core.clock.now(),
      withDefinitions: !this.#rowsSent,
      metadata: { resourceVersion: entry.object.metadata.resourceVersion },
    });
    if (type !== "BOOKMARK") this.#rowsSent = true;
    return Buffer.from(JSON.stringify(table));
  }
}

/** An object that no longer matches is sent in its last matching state, with the revision of the change. */
function stampedWith(entry: Entry, revision: number): Entry {
  const metadata = { ...entry.object.metadata, resourceVersion: String(revision) };
  return new Entry(entry.key, revision, { ...entry.object, metadata });
}
