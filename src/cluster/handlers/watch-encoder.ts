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
  #rowsSent = false;

  constructor(target: Target, representation: Representation, include: "None" | "Metadata" | "Object") {
    this.#target = target;
    this.#representation = representation;
    this.#include = include;
  }

  /** The ADDED event of an object that existed before the watch began. */
  initial(entry: Entry): Buffer {
    return this.#line("ADDED", entry);
  }

  change(change: Change, type: EventType, entry: Entry, previous: Entry | undefined): Buffer {
    const left = type === "DELETED" && change.type !== "DELETED";
    const shown = left ? stampedWith(previous!, change.revision) : entry;
    const { form } = this.#representation;
    if (form === "table") return this.#line(type, shown);
    const { resource, version } = this.#target;
    // Two groups may share a collection, as Events do.
    const key = `${resource.group}/${version} ${form} ${this.#representation.metaVersion} ${type}`;
    change.encoded ??= new Map();
    let line = change.encoded.get(key);
    if (!line) {
      line = this.#line(type, shown);
      change.encoded.set(key, line);
    }
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
