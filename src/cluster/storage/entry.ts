import type { ApiObject } from "../contract/api-object.ts";

/** One stored state of an object. It is never changed: a write makes a new entry. */
export class Entry {
  readonly key: string;
  readonly revision: number;
  /** A cache of values that the registry derives from this state, such as other versions of it. */
  readonly derived = new Map<string, unknown>();
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

  /** Keeps the JSON only, until the object is read again: a former state takes half of the memory, and none of V8's heap. */
  pack(): void {
    if (!this.#object) return;
    this.#bytes = this.bytes;
    this.#object = undefined;
    this.derived.clear();
  }
}
