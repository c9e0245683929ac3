import type { ApiObject } from "../contract/api-object.ts";

/** One stored state of an object. It is never changed: a write makes a new entry. */
export class Entry {
  readonly key: string;
  readonly revision: number;
  readonly object: ApiObject;
  /** A cache of values that the registry derives from this state, such as other versions of it. */
  readonly derived = new Map<string, unknown>();
  #bytes: Buffer | undefined;

  constructor(key: string, revision: number, object: ApiObject) {
    this.key = key;
    this.revision = revision;
    this.object = object;
  }

  /** The JSON of the object, encoded once for all readers and watchers. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.object));
    return this.#bytes;
  }
}
