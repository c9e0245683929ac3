import type { ApiObject } from "../contract/api-object.ts";

/** One revision of a stored object. The object never changes: a write makes a new entry. */
export class Entry {
  readonly key: string;
  readonly revision: number;
  /** The version of a CRD that serves the object exactly as stored, as a cache key of `CustomVersions`. */
  shownBy: string | undefined;
  #derived: Map<string, unknown> | undefined;
  #object: ApiObject | undefined;
  #bytes: Buffer | undefined;

  constructor(key: string, revision: number, object: ApiObject) {
    this.key = key;
    this.revision = revision;
    this.#object = object;
  }

  get object(): ApiObject {
    this.#object ??= JSON.parse(this.#bytes!.toString()) as ApiObject;
    return this.#object;
  }

  /** The JSON of the object, encoded once for all readers and watchers. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.#object));
    return this.#bytes;
  }

  /** Returns what `remember()` cached under a name, such as the object in another version; undefined after `pack()`. */
  derived(name: string): unknown {
    return this.#derived?.get(name);
  }

  /** Caches a value that is derived from the object under a name. */
  remember(name: string, value: unknown): void {
    this.#derived ??= new Map();
    this.#derived.set(name, value);
  }

  /** Packs the object if its JSON is cached, which is all that lists and watches of older objects need. */
  settle(): void {
    if (this.#bytes) this.pack();
  }

  /** Drops the object, until it is read again, and its caches: the JSON takes half of the memory, outside of V8's heap. */
  pack(): void {
    if (!this.#object) return;
    this.#bytes = this.bytes;
    this.#object = undefined;
    this.#derived = undefined;
  }
}

type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** A committed write. For a deletion, `entry` is the last state, with the revision of the deletion. */
export interface Change {
  readonly type: ChangeType;
  readonly revision: number;
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** The event's bytes by representation, encoded once for all watchers. */
  encoded?: Map<string, Buffer> | undefined;
}
