import { compareText } from "@tsbuilder/apimachinery/text";
import type { Entry } from "./entry.ts";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** One committed write. For a deletion `entry` is the last state under the revision of the deletion. */
export interface Change {
  readonly type: ChangeType;
  readonly revision: number;
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** The event's bytes by representation, encoded once for all watchers. */
  readonly encoded: Map<string, Buffer>;
}

export type Listener = (change: Change) => void;

/** The objects of one resource, in key order, with the history that watchers and pages need. */
export class Collection {
  readonly name: string;
  readonly #historyLimit: number;
  #entries = new Map<string, Entry>();
  #shared = false;
  #keys: string[] | undefined;
  #history: Change[] = [];
  #forgotten = 0;
  readonly #listeners = new Set<Listener>();

  constructor(name: string, historyLimit: number, revision: number) {
    this.name = name;
    this.#historyLimit = historyLimit;
    this.#forgotten = revision;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Revisions up to this one can't be watched from or listed at any more. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** The entries whose key starts with a prefix, in byte order of their keys. */
  list(prefix = "", after = ""): Entry[] {
    const keys = this.#sortedKeys();
    const found: Entry[] = [];
    const from = after > prefix ? after : prefix;
    for (let index = lowerBound(keys, from); index < keys.length; index++) {
      const key = keys[index]!;
      if (!key.startsWith(prefix)) break;
      if (key !== after) found.push(this.#entries.get(key)!);
    }
    return found;
  }

  /** The entries as they were at an earlier revision, or undefined where the history does not reach back. */
  listAt(revision: number, prefix = ""): Entry[] | undefined {
    if (revision < this.#forgotten) return undefined;
    if ((this.#history.at(-1)?.revision ?? 0) <= revision) return this.list(prefix);
    const state = new Map(this.list(prefix).map((entry) => [entry.key, entry]));
    for (let index = this.#history.length - 1; index >= 0; index--) {
      const change = this.#history[index]!;
      if (change.revision <= revision) break;
      if (!change.entry.key.startsWith(prefix)) continue;
      if (change.previous) state.set(change.entry.key, change.previous);
      else state.delete(change.entry.key);
    }
    return [...state.values()].sort((a, b) => compareText(a.key, b.key));
  }

  /** The changes after a revision, or undefined where some of them are forgotten. */
  changesSince(revision: number): readonly Change[] | undefined {
    if (revision < this.#forgotten) return undefined;
    let index = this.#history.length;
    while (index > 0 && this.#history[index - 1]!.revision > revision) index--;
    return this.#history.slice(index);
  }

  /** Calls the listener in the tick of each later commit; returns an unsubscribe function. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes a change into the state; `notify` follows when its turn comes. */
  apply(change: Change): void {
    if (this.#shared) {
      this.#entries = new Map(this.#entries);
      this.#shared = false;
    }
    const { key } = change.entry;
    if (change.type === "DELETED") this.#entries.delete(key);
    else this.#entries.set(key, change.entry);
    this.#settleKey(change);
    this.#history.push(change);
    if (this.#history.length > 2 * this.#historyLimit) this.#forgetOldest(this.#historyLimit);
  }

  /** Who listens is told of a write that is done: his failure is his own, and `failed` hears of it. */
  notify(change: Change, failed: (error: unknown) => void): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        failed(error);
      }
    }
  }

  /** Forgets history up to a revision, as etcd's compaction does. */
  compact(revision: number): void {
    const kept = this.#history.findIndex((change) => change.revision > revision);
    this.#history = kept === -1 ? [] : this.#history.slice(kept);
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** The present state in constant time: the next write copies the map instead of changing it. */
  freeze(): ReadonlyMap<string, Entry> {
    this.#shared = true;
    return this.#entries;
  }

  #forgetOldest(keep: number): void {
    const cut = this.#history.length - keep;
    this.#forgotten = this.#history[cut - 1]!.revision;
    this.#history = this.#history.slice(cut);
  }

  #sortedKeys(): string[] {
    this.#keys ??= [...this.#entries.keys()].sort();
    return this.#keys;
  }

  /** Once they are sorted, keys stay so: lists that follow on writes need not sort them all again. */
  #settleKey({ type, entry }: Change): void {
    if (!this.#keys || type === "MODIFIED") return;
    const at = lowerBound(this.#keys, entry.key);
    if (type === "DELETED") this.#keys.splice(at, 1);
    else this.#keys.splice(at, 0, entry.key);
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
