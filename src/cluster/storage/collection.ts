import { compareText } from "@tsbuilder/apimachinery/text";
import type { Entry } from "./entry.ts";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** A committed write. For a deletion, `entry` is the last state, with the revision of the deletion. */
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
  #compactedRevision = 0;
  readonly #listeners = new Set<Listener>();

  constructor(name: string, historyLimit: number, revision: number) {
    this.name = name;
    this.#historyLimit = historyLimit;
    this.#compactedRevision = revision;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Revisions up to this one have expired: they can't be listed, and watches can't start from them. */
  get compactedRevision(): number {
    return this.#compactedRevision;
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

  /** The entries at an earlier revision, or undefined if it has expired. */
  listAt(revision: number, prefix = ""): Entry[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
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

  /** The changes after a revision, or undefined if it has expired. */
  changesSince(revision: number): readonly Change[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
    let index = this.#history.length;
    while (index > 0 && this.#history[index - 1]!.revision > revision) index--;
    return this.#history.slice(index);
  }

  /** Calls the listener in the same tick as each later commit. Returns an unsubscribe function. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Applies a change to the state; `notify` follows in the order of revisions. */
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

  /** Calls the listeners. The write is done, so their errors only go to `failed`. */
  notify(change: Change, failed: (error: unknown) => void): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        failed(error);
      }
    }
  }

  /** Drops the history up to a revision, as etcd's compaction does. */
  compact(revision: number): void {
    const kept = this.#history.findIndex((change) => change.revision > revision);
    this.#history = kept === -1 ? [] : this.#history.slice(kept);
    this.#compactedRevision = Math.max(this.#compactedRevision, revision);
  }

  /** The current state, in constant time: the next write copies the map instead of changing it. */
  freeze(): ReadonlyMap<string, Entry> {
    this.#shared = true;
    return this.#entries;
  }

  #forgetOldest(keep: number): void {
    const cut = this.#history.length - keep;
    this.#compactedRevision = this.#history[cut - 1]!.revision;
    this.#history = this.#history.slice(cut);
  }

  #sortedKeys(): string[] {
    this.#keys ??= [...this.#entries.keys()].sort();
    return this.#keys;
  }

  /** Keeps sorted keys sorted, so that a list after a write does not sort them all again. */
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
