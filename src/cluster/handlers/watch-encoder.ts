import { apiVersionOf, type Status } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { Change } from "../storage/change.ts";
import { Entry } from "../storage/entry.ts";
import { partialOf, type Representation, tableOf } from "./representation.ts";
import type { Target } from "./target.ts";

export type EventType = Change["type"];

const newline = Buffer.from("}\n");

/** Encodes watch events in one representation; whole objects are encoded once for all watchers. */
export class EventEncoder {
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
