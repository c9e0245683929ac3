import { compareText } from "@tsbuilder/apimachinery/text";
import type { Change, Entry } from "./entry.ts";

/** Up to this number of writes is inserted one by one into the sorted list; more are merged. */
const fewWrites = 16;

/** Receives the changes of a collection. */
export type Listener = (change: Change) => void;

/** The objects of one resource, in key order, with the history that watchers and pages need. */
export class Collection {
  readonly name: string;
  readonly #history: History;
  #entries = new Map<string, Entry>();
  #isFrozen = false;
  /** The entries in byte order of keys as of the last list; undefined before the first one. */
  #sorted: Entry[] | undefined;
  /** The keys that were written since the last list. */
  readonly #written = new Set<string>();
  #oldestListRevision = 0;
  readonly #listeners = new Set<Listener>();

  constructor(name: string, historyLimit: number, revision: number) {
    this.name = name;
    this.#history = new History(historyLimit, revision);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Revisions before this one have expired: they can't be listed, and watches can't start from them. */
  get compactedRevision(): number {
    return this.#history.compactedRevision;
  }

  /** How many bytes of JSON the history keeps in memory. */
  get historyBytes(): number {
    return this.#history.bytes;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** The entries whose key starts with a prefix, in byte order of their keys. */
  list(prefix = ""): Entry[] {
    const sorted = (this.#sorted = this.#inOrder());
    if (prefix === "") return [...sorted];
    const start = firstIndex(sorted, (key) => key >= prefix);
    const end = firstIndex(sorted, (key) => key >= prefix && !key.startsWith(prefix));
    return sorted.slice(start, end);
  }

  /** Sorts the entries written since the last list into `#sorted`: done at each write, it would cost more with many objects. */
  #inOrder(): Entry[] {
    const sorted = this.#sorted;
    if (sorted && this.#written.size === 0) return sorted;
    const keys = [...this.#written];
    this.#written.clear();
    if (!sorted) return [...this.#entries.values()].sort((a, b) => compareText(a.key, b.key));
    if (keys.length > fewWrites) {
      const written = new Set(keys);
      const kept = sorted.filter(({ key }) => !written.has(key));
      const added = keys.flatMap((key) => this.#entries.get(key) ?? []);
      return mergeByKey(kept, added);
    }
    for (const key of keys) {
      const entry = this.#entries.get(key);
      const index = firstIndex(sorted, (other) => other >= key);
      sorted.splice(index, sorted[index]?.key === key ? 1 : 0, ...(entry ? [entry] : []));
    }
    return sorted;
  }

  /** The entries at an earlier revision, or undefined if it can no longer be listed. */
  listAt(revision: number, prefix = ""): Entry[] | undefined {
    return revision < this.#oldestListRevision ? undefined : this.stateAt(revision, prefix);
  }

  /** The entries at an earlier revision, or undefined if the history does not go back so far. */
  stateAt(revision: number, prefix = ""): Entry[] | undefined {
    const changes = this.#history.since(revision);
    if (!changes) return undefined;
    const current = this.list(prefix);
    if (changes.length === 0) return current;
    const before = statesBefore(changes.filter(({ entry }) => entry.key.startsWith(prefix)));
    const kept = current.flatMap((entry) => (before.has(entry.key) ? (before.get(entry.key) ?? []) : entry));
    const existed = [...before.values()].filter((entry) => entry !== undefined);
    const deleted = existed.filter(({ key }) => !this.#entries.has(key));
    return mergeByKey(kept, deleted);
  }

  /** The changes after a revision, or undefined if it has expired. */
  changesSince(revision: number): readonly Change[] | undefined {
    return this.#history.since(revision);
  }

  /** Calls the listener in the same tick as each later commit. Returns an unsubscribe function. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Applies a change to the state; `notify` follows in the order of revisions. */
  apply(change: Change): void {
    const { type, entry } = change;
    this.#set(entry.key, type === "DELETED" ? undefined : entry);
    this.#history.push(change);
  }

  /** Sets an entry that was stored before the history begins. */
  load(entry: Entry): void {
    this.#set(entry.key, entry);
  }

  /** Calls the listeners. The write is done, so that their errors are only reported to `failed`. */
  notify(change: Change, failed: (error: unknown) => void): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        failed(error);
      }
    }
  }

  /** Drops the history up to a revision. */
  compact(revision: number): void {
    this.#history.compact(revision);
  }

  /** Drops the oldest history until at most this many bytes are left. */
  shrinkHistory(bytes: number): void {
    this.#history.shrink(bytes);
  }

  /** Expires lists before a revision, as etcd's compaction does. Watches can still start from there. */
  expireLists(revision: number): void {
    this.#oldestListRevision = revision;
  }

  /** The current state, in constant time: the next write copies the map instead of changing it. */
  freeze(): ReadonlyMap<string, Entry> {
    this.#isFrozen = true;
    return this.#entries;
  }

  #set(key: string, entry: Entry | undefined): void {
    if (this.#isFrozen) {
      this.#entries = new Map(this.#entries);
      this.#isFrozen = false;
    }
    if (entry) this.#entries.set(key, entry);
    else this.#entries.delete(key);
    if (this.#sorted) this.#written.add(key);
  }
}

/** The recent changes of one resource, oldest first. */
class History {
  readonly #limit: number;
  #changes: Change[] = [];
  /** How many bytes of JSON it keeps in memory besides the current state. */
  bytes = 0;
  /** Changes up to this revision are dropped. */
  compactedRevision: number;

  /** The limit is a number of changes; the revision is the one from which all changes will be recorded. */
  constructor(limit: number, revision: number) {
    this.#limit = limit;
    this.compactedRevision = revision;
  }

  push(change: Change): void {
    this.#changes.push(change);
    this.bytes += weightOf(change);
    if (this.#changes.length > 2 * this.#limit) this.#forget(this.#changes.length - this.#limit);
  }

  /** The changes after a revision, or undefined if some of them were dropped. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.compactedRevision) return undefined;
    let index = this.#changes.length;
    while (index > 0 && this.#changes[index - 1]!.revision > revision) index--;
    return this.#changes.slice(index);
  }

  /** Drops the oldest changes until at most this many bytes are left. */
  shrink(bytes: number): void {
    let count = 0;
    for (let left = this.bytes; left > bytes && count < this.#changes.length; count++) {
      left -= weightOf(this.#changes[count]!);
    }
    this.#forget(count);
  }

  /** Drops the changes up to a revision. */
  compact(revision: number): void {
    const kept = this.#changes.findIndex((change) => change.revision > revision);
    this.#forget(kept === -1 ? this.#changes.length : kept);
    this.compactedRevision = Math.max(this.compactedRevision, revision);
  }

  #forget(count: number): void {
    if (count === 0) return;
    const forgotten = this.#changes.slice(0, count);
    this.#changes = this.#changes.slice(count);
    for (const change of forgotten) this.bytes -= weightOf(change);
    this.compactedRevision = forgotten.at(-1)!.revision;
  }
}

/** The states of objects before some changes; undefined for objects that did not exist. */
function statesBefore(changes: readonly Change[]): Map<string, Entry | undefined> {
  const states = new Map<string, Entry | undefined>();
  for (const { entry, previous } of changes) {
    if (!states.has(entry.key)) states.set(entry.key, previous);
  }
  return states;
}

/** The bytes that a change keeps in memory: the state that it replaced, and for a deletion also the last state. */
function weightOf({ type, previous }: Change): number {
  const replaced = previous?.bytes.length ?? 0;
  return type === "DELETED" ? 2 * replaced : replaced;
}

/** The index of the first entry whose key satisfies a condition that all later keys satisfy, too. */
function firstIndex(sorted: readonly Entry[], holds: (key: string) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(sorted[middle]!.key)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Adds entries in any order to sorted ones. */
function mergeByKey(sorted: readonly Entry[], added: readonly Entry[]): Entry[] {
  if (added.length === 0) return [...sorted];
  const sortedAdded = added.toSorted((a, b) => compareText(a.key, b.key));
  const merged: Entry[] = [];
  let next = 0;
  for (const entry of sorted) {
    while (next < sortedAdded.length && sortedAdded[next]!.key < entry.key) merged.push(sortedAdded[next++]!);
    merged.push(entry);
  }
  return merged.concat(sortedAdded.slice(next));
}
