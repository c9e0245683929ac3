// The objects of a cluster in memory, in place of etcd: `store.ts` gives writes their revisions and tells listeners,
// `collection.ts` has the objects of one resource with their history, `entry.ts` one state of an object, and
// `file-journal.ts` keeps everything in a folder.

import type { ApiObject } from "../contract/api-object.ts";
import { type Change, Entry } from "./entry.ts";
import { Collection } from "./collection.ts";

/** Persists writes. It is called before a write is visible, and may throw. */
export interface Journal {
  append(collection: string, change: Change): void;
}

/** A write that a journal recorded; without an object, a deletion. */
export interface RecordedWrite {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly object: ApiObject | undefined;
  /** The last state in a deletion's watch event; undefined if it was not recorded. */
  readonly lastState: ApiObject | undefined;
}

/** The content of a journal: the state at a revision, and the writes after it. */
export interface RecordedHistory {
  readonly revision: number;
  readonly state: Iterable<RecordedWrite>;
  readonly writes: Iterable<RecordedWrite>;
}

/** Receives the changes of all collections. */
export type StoreListener = (collection: Collection, change: Change) => void;

/** The state of an object after a write. */
export interface WrittenState {
  /** The name of its collection: `statefulsets.apps`. */
  readonly resource: string;
  readonly key: string;
  readonly bytes: Buffer;
}

/** A state that can be restored. */
export interface Snapshot {
  readonly revision: number;
  readonly collections: ReadonlyMap<string, ReadonlyMap<string, Entry>>;
}

/** The limits of a store's history, and where its writes and errors go. */
export interface StoreOptions {
  /** How many changes of each resource are kept for watchers. */
  readonly historyLimit?: number;
  /** How many bytes of JSON the changes of all resources may keep in memory. */
  readonly historyBytes?: number;
  readonly journal?: Journal;
  /** Receives errors of listeners. Default: they are uncaught and end the process. */
  readonly onError?: (error: unknown) => void;
}

/** This number of most recent entries keep their parsed objects, which controllers and the next writes read. */
const recentlyWritten = 64;

/**
 * All objects of the cluster, with one revision that only increases, like etcd's. Writes are synchronous: code that
 * reads an entry and writes in the same tick can't lose an update.
 */
export class Store {
  #revision = 1;
  #oldestRevision = 1;
  #historyBytes = 0;
  readonly #collections = new Map<string, Collection>();
  readonly #historyLimit: number;
  readonly #historyBytesLimit: number;
  readonly #journal: Journal | undefined;
  readonly #listeners = new Set<StoreListener>();
  readonly #queue: Array<[Collection, Change]> = [];
  readonly #onError: (error: unknown) => void;
  #isNotifying = false;
  readonly #recent: Entry[] = [];

  constructor(options: StoreOptions = {}) {
    const { historyLimit = 10_000, historyBytes = 16 * 1024 * 1024, journal, onError = throwLater } = options;
    this.#historyLimit = historyLimit;
    this.#historyBytesLimit = historyBytes;
    this.#onError = onError;
    this.#journal = journal;
  }

  get revision(): number {
    return this.#revision;
  }

  /** How many bytes of JSON the history keeps in memory besides the current state. */
  get historyBytes(): number {
    return this.#historyBytes;
  }

  /** Returns the collection of a resource, such as `statefulsets.apps`; creates a missing one. */
  collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = new Collection(name, this.#historyLimit, this.#oldestRevision);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  collections(): readonly Collection[] {
    return [...this.#collections.values()];
  }

  /** Creates or replaces an object. */
  put(collection: Collection, key: string, object: ApiObject): Entry {
    const previous = collection.get(key);
    const revision = this.#revision + 1;
    const { kind, apiVersion, metadata, ...rest } = object;
    const resourceVersion = String(revision);
    const stored: ApiObject = { kind, apiVersion, metadata: { ...metadata, resourceVersion }, ...rest };
    const change = changeTo(new Entry(key, revision, stored), previous);
    this.#commit(collection, change);
    return change.entry;
  }

  /** Removes an object; its last state gets the revision of the deletion. */
  remove(collection: Collection, entry: Entry, lastState: ApiObject = entry.object): Entry {
    const change = deletionOf(entry, this.#revision + 1, lastState);
    this.#commit(collection, change);
    return change.entry;
  }

  /** Drops the history up to a revision: watches from older ones get 410. */
  compact(revision: number = this.#revision): void {
    this.#oldestRevision = Math.max(this.#oldestRevision, revision);
    for (const collection of this.#collections.values()) {
      this.#countHistory(collection, () => collection.compact(revision));
    }
  }

  /** Expires lists before a revision, as etcd's compaction does. Watches can still start from there. */
  expireLists(revision: number): void {
    for (const collection of this.#collections.values()) collection.expireLists(revision);
  }

  /** Takes a snapshot of all objects, without copying them. */
  snapshot(): Snapshot {
    const collections = new Map(
      [...this.#collections].map(([name, collection]) => [name, collection.freeze()] as const),
    );
    return { revision: this.#revision, collections };
  }

  /** Makes a snapshot of earlier states. Restoring it does not write states that are still current. */
  snapshotOf(states: Iterable<WrittenState>): Snapshot {
    const collections = new Map<string, Map<string, Entry>>();
    for (const { resource, key, bytes } of states) {
      const entries = collections.get(resource) ?? new Map<string, Entry>();
      collections.set(resource, entries);
      const current = this.#collections.get(resource)?.get(key);
      const isCurrent = current?.bytes.equals(bytes) ?? false;
      entries.set(key, isCurrent ? current! : new Entry(key, 0, JSON.parse(bytes.toString()) as ApiObject));
    }
    return { revision: this.#revision, collections };
  }

  /**
   * Restores a snapshot with new writes: watchers see them, and the revision never goes back. Listeners are called after
   * the last write: earlier, they would act on objects whose owners do not exist yet.
   */
  restore(snapshot: Snapshot): void {
    this.#notifyAfter(() => {
      for (const [name, collection] of this.#collections) {
        const restored = snapshot.collections.get(name) ?? new Map<string, Entry>();
        for (const entry of collection.list()) if (!restored.has(entry.key)) this.remove(collection, entry);
        for (const [key, entry] of restored) {
          if (collection.get(key) !== entry) this.put(collection, key, entry.object);
        }
      }
    });
  }

  /** Loads the content of a journal. Watchers can resume from any revision of its writes. */
  load({ revision, state, writes }: RecordedHistory): void {
    this.#revision = Math.max(this.#revision, revision);
    this.compact();
    for (const { collection, key, revision: stored, object } of state) {
      this.collection(collection).load(new Entry(key, stored, object!));
    }
    for (const { collection: name, key, revision: written, object, lastState } of writes) {
      const collection = this.collection(name);
      const previous = collection.get(key);
      if (object) this.#apply(collection, changeTo(new Entry(key, written, object), previous));
      else if (previous) this.#apply(collection, deletionOf(previous, written, lastState ?? previous.object));
      this.#revision = Math.max(this.#revision, written);
    }
  }

  /** Calls the listener in the same tick as each later commit of any collection. Returns an unsubscribe function. */
  listen(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Commits a change. Listeners may write, too, and all still receive changes in the order of revisions. */
  #commit(collection: Collection, change: Change): void {
    this.#journal?.append(collection.name, change);
    this.#revision = change.revision;
    this.#apply(collection, change);
    this.#notifyAfter(() => this.#queue.push([collection, change]));
  }

  /** Does work, and then calls the listeners with the changes that it queued. */
  #notifyAfter(work: () => void): void {
    if (this.#isNotifying) return work();
    this.#isNotifying = true;
    try {
      work();
    } finally {
      this.#notifyQueued();
    }
  }

  #notifyQueued(): void {
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#notify(...next);
    } finally {
      this.#isNotifying = false;
    }
  }

  #apply(collection: Collection, change: Change): void {
    this.#countHistory(collection, () => collection.apply(change));
    if (this.#historyBytes > this.#historyBytesLimit) this.#shrinkHistory();
  }

  /** Drops the oldest changes where most bytes are, so that watchers of other resources can still resume. */
  #shrinkHistory(): void {
    // A quarter less than the limit: the next writes need not drop changes again.
    const goal = 0.75 * this.#historyBytesLimit;
    while (this.#historyBytes > goal) {
      const largest = this.collections().reduce((a, b) => (b.historyBytes > a.historyBytes ? b : a));
      const rest = this.#historyBytes - largest.historyBytes;
      this.#countHistory(largest, () => largest.shrinkHistory(Math.max(0, goal - rest)));
    }
  }

  /** Runs a step, and adds its change of a collection's history to the sum. */
  #countHistory(collection: Collection, step: () => void): void {
    const before = collection.historyBytes;
    step();
    this.#historyBytes += collection.historyBytes - before;
  }

  /** Calls all listeners. The write is done: a listener that throws can't undo it or stop the others. */
  #notify(collection: Collection, change: Change): void {
    const failed = (cause: unknown): void => {
      const { type, entry } = change;
      this.#onError(new Error(`a listener failed on ${type} of ${collection.name} ${entry.key}`, { cause }));
    };
    collection.notify(change, failed);
    for (const listener of this.#listeners) {
      try {
        listener(collection, change);
      } catch (error) {
        failed(error);
      }
    }
    // Watchers have the event. Watches that resume later encode it again.
    change.encoded = undefined;
    change.previous?.pack();
    this.#recent.push(change.entry);
    if (this.#recent.length > recentlyWritten) this.#recent.shift()!.settle();
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function changeTo(entry: Entry, previous: Entry | undefined): Change {
  const type = previous ? "MODIFIED" : "ADDED";
  return { type, revision: entry.revision, entry, previous };
}

function deletionOf(previous: Entry, revision: number, lastState: ApiObject): Change {
  const metadata = { ...lastState.metadata, resourceVersion: String(revision) };
  const entry = new Entry(previous.key, revision, { ...lastState, metadata });
  return { type: "DELETED", revision, entry, previous };
}
