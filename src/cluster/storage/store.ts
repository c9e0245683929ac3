import type { ApiObject } from "../contract/api-object.ts";
import { type Change, Collection } from "./collection.ts";
import { Entry } from "./entry.ts";

/** Persists writes. It is called before a write is visible, and may throw. */
export interface Journal {
  append(collection: string, key: string, revision: number, object: ApiObject | undefined): void;
}

export type StoreListener = (collection: Collection, change: Change) => void;

/** A state that can be restored. */
export interface Snapshot {
  readonly revision: number;
  readonly collections: ReadonlyMap<string, ReadonlyMap<string, Entry>>;
}

export interface StoreOptions {
  /** How many changes of each resource are kept for watchers. */
  readonly historyLimit?: number;
  readonly journal?: Journal;
  /** Receives errors of listeners. Default: they are uncaught and end the process. */
  readonly onError?: (error: unknown) => void;
}

/**
 * All objects of the cluster, with one revision that only increases, like etcd's. Writes are synchronous: code that
 * reads an entry and writes in the same tick can't lose an update.
 */
export class Store {
  #revision = 1;
  readonly #collections = new Map<string, Collection>();
  readonly #historyLimit: number;
  #journal: Journal | undefined;
  readonly #listeners = new Set<StoreListener>();
  readonly #queue: Array<[Collection, Change]> = [];
  readonly #onError: (error: unknown) => void;
  #notifying = false;

  constructor({ historyLimit = 10_000, journal, onError = throwLater }: StoreOptions = {}) {
    this.#historyLimit = historyLimit;
    this.#onError = onError;
    this.#journal = journal;
  }

  get revision(): number {
    return this.#revision;
  }

  collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = new Collection(name, this.#historyLimit, this.#revision);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  /** Creates or replaces an object. */
  put(collection: Collection, key: string, object: ApiObject): Entry {
    const previous = collection.get(key);
    const revision = this.#revision + 1;
    const { kind, apiVersion, metadata, ...rest } = object;
    const stored: ApiObject = {
      kind,
      apiVersion,
      metadata: { ...metadata, resourceVersion: String(revision) },
      ...rest,
    };
    this.#journal?.append(collection.name, key, revision, stored);
    const entry = new Entry(key, revision, stored);
    this.#commit(collection, { type: previous ? "MODIFIED" : "ADDED", revision, entry, previous });
    return entry;
  }

  /** Removes an object; its last state gets the revision of the deletion. */
  remove(collection: Collection, entry: Entry, lastState: ApiObject = entry.object): Entry {
    const revision = this.#revision + 1;
    this.#journal?.append(collection.name, entry.key, revision, undefined);
    const metadata = { ...lastState.metadata, resourceVersion: String(revision) };
    const last = new Entry(entry.key, revision, { ...lastState, metadata });
    this.#commit(collection, { type: "DELETED", revision, entry: last, previous: entry });
    return last;
  }

  /** Drops history, so that old revisions get 410. */
  compact(revision: number = this.#revision): void {
    for (const collection of this.#collections.values()) collection.compact(revision);
  }

  snapshot(): Snapshot {
    const collections = new Map([...this.#collections].map(([name, it]) => [name, it.freeze()] as const));
    return { revision: this.#revision, collections };
  }

  /** Restores a snapshot with new writes: watchers see them, and the revision never goes back. */
  restore(snapshot: Snapshot): void {
    for (const [name, collection] of this.#collections) {
      const wanted = snapshot.collections.get(name) ?? new Map<string, Entry>();
      for (const entry of collection.list()) if (!wanted.has(entry.key)) this.remove(collection, entry);
      for (const [key, entry] of wanted) {
        if (collection.get(key) !== entry) this.put(collection, key, entry.object);
      }
    }
  }

  /** Loads what a journal recorded earlier, without writing it to the journal again. */
  load(
    revision: number,
    records: Iterable<{ collection: string; key: string; revision: number; object: ApiObject }>,
  ): void {
    const journal = this.#journal;
    this.#journal = undefined;
    for (const record of records) {
      const entry = new Entry(record.key, record.revision, record.object);
      this.collection(record.collection).apply(
        change({ type: "ADDED", revision: record.revision, entry, previous: undefined }),
      );
    }
    this.#revision = Math.max(this.#revision, revision);
    this.compact();
    this.#journal = journal;
  }

  /** Calls the listener in the same tick as each later commit of any collection. Returns an unsubscribe function. */
  listen(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A listener may write, too: all listeners still receive changes in the order of revisions. */
  #commit(collection: Collection, fields: Omit<Change, "encoded">): void {
    this.#revision = fields.revision;
    const committed = change(fields);
    collection.apply(committed);
    this.#queue.push([collection, committed]);
    if (this.#notifying) return;
    this.#notifying = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#notify(...next);
    } finally {
      this.#notifying = false;
    }
  }

  /** The write is done, so a listener that throws can't undo it or stop other listeners. */
  #notify(collection: Collection, committed: Change): void {
    const failed = (cause: unknown): void => {
      const { type, entry } = committed;
      this.#onError(new Error(`a listener failed on ${type} of ${collection.name} ${entry.key}`, { cause }));
    };
    collection.notify(committed, failed);
    for (const listener of this.#listeners) {
      try {
        listener(collection, committed);
      } catch (error) {
        failed(error);
      }
    }
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function change(fields: Omit<Change, "encoded">): Change {
  return { ...fields, encoded: new Map() };
}
