import type { ApiObject } from "../contract/api-object.ts";

/** One stored state of an object. It is never changed: a write makes a new entry. */
export class Entry {
  readonly key: string;
  readonly revision: number;
  /** The key of the schema by which the state is served as it is stored; set by CustomVersions. */
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

  /** A value that the registry has derived from this state, such as another version of it. */
  derived(name: string): unknown {
    return this.#derived?.get(name);
  }

  remember(name: string, value: unknown): void {
    this.#derived ??= new Map();
    this.#derived.set(name, value);
  }

  /** Packs a state if its JSON is cached: lists and watches need nothing else. */
  settle(): void {
    if (this.#bytes) this.pack();
  }

  /** Keeps only the JSON, until the object is read again: this takes half of the memory, outside of V8's heap. */
  pack(): void {
    if (!this.#object) return;
    this.#bytes = this.bytes;
    this.#object = undefined;
    this.#derived = undefined;
  }
}

/** A committed write. For a deletion, `entry` is the last state, with the revision of the deletion. */
export interface Change {
  readonly type: ChangeType;
  readonly revision: number;
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** The event's bytes by representation, encoded once for all watchers. */
  encoded?: Map<string, Buffer> | undefined;
}

type ChangeType = "ADDED" | "MODIFIED" | "DELETED";
