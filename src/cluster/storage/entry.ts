import type { ApiObject } from "../contract/api-object.ts";

/** One stored state of one object. It never changes: a write makes a new entry. */
export class Entry {
  readonly key: string;
  readonly revision: number;
  readonly object: ApiObject;
  /** What the registry derives from this state, such as other versions of it, computed once. */
  readonly derived = new Map<string, unknown>();
  #bytes: Buffer | undefined;

  constructor(key: string, revision: number, object: ApiObject) {
    this.key = key;
    this.revision = revision;
    this.object = object;
  }

  /** The JSON of the object, made once and shared by every reader and watcher. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.object));
    return this.#bytes;
  }
}
