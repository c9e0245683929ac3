import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ObjectKey } from "../client/client.ts";
import { show, synchronous } from "../callbacks/callbacks.ts";
import { TerminalError } from "../errors/api-error.ts";

/** A stored object. */
export interface Entry<T extends KubernetesObject = KubernetesObject> {
  readonly object: T;
  /** The length of its JSON as received. */
  readonly bytes: number;
}

type ValuesOf<T> = (object: T) => readonly string[];

/** Called when an index function fails; the object is left out of that index. */
export type OnIndexError<T> = (name: string, object: T, thrown: unknown) => void;

/** Objects by namespace and name, and by the values of any number of indexes. */
export class ObjectStore<T extends KubernetesObject> {
  #namespaces = new Map<string, Map<string, Entry<T>>>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onIndexError: OnIndexError<T>;
  size = 0;
  bytes = 0;

  constructor(onIndexError: OnIndexError<T>) {
    this.#onIndexError = onIndexError;
  }

  get({ namespace = "", name }: ObjectKey): Entry<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  set(entry: Entry<T>): void {
    const { namespace = "", name = "" } = entry.object.metadata;
    let objects = this.#namespaces.get(namespace);
    if (!objects) this.#namespaces.set(namespace, (objects = new Map<string, Entry<T>>()));
    const former = objects.get(name);
    objects.set(name, entry);
    this.#count(former, entry);
  }

  delete({ namespace = "", name }: ObjectKey): Entry<T> | undefined {
    const objects = this.#namespaces.get(namespace);
    const former = objects?.get(name);
    if (!objects || !former) return undefined;
    objects.delete(name);
    if (objects.size === 0) this.#namespaces.delete(namespace);
    this.#count(former, undefined);
    return former;
  }

  /** All entries, or those of one namespace. */
  *entries(namespace?: string): Generator<Entry<T>> {
    if (namespace !== undefined) {
      yield* this.#namespaces.get(namespace)?.values() ?? [];
      return;
    }
    for (const objects of this.#namespaces.values()) for (const entry of objects.values()) yield entry;
  }

  /** The entries under a value of an index. Throws a `TerminalError` if there is no such index. */
  indexed(name: string, value: string): Iterable<Entry<T>> {
    const index = this.#indexes.get(name);
    if (!index)
      throw new TerminalError(`there is no index "${name}": add it with cache.addIndex(), or read live`);
    return index.entries.get(value) ?? [];
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** Adds an index of all entries, stored and future. Throws a `TerminalError` if the name is taken. */
  addIndex(name: string, valuesOf: ValuesOf<T>): void {
    if (this.#indexes.has(name)) throw new TerminalError(`there is an index "${name}" already`);
    const index: Index<T> = { name, valuesOf, entries: new Map(), values: new Map() };
    this.#indexes.set(name, index);
    for (const entry of this.entries()) this.#addTo(index, entry);
  }

  /** Creates an empty store with the same indexes. */
  createEmptyCopy(): ObjectStore<T> {
    const other = new ObjectStore<T>(this.#onIndexError);
    for (const { name, valuesOf } of this.#indexes.values()) other.addIndex(name, valuesOf);
    return other;
  }

  /** Takes over all entries of another store into this empty one. The other store must not be used afterwards. */
  adopt(other: ObjectStore<T>): void {
    this.#namespaces = other.#namespaces;
    this.size = other.size;
    this.bytes = other.bytes;
    for (const index of this.#indexes.values()) {
      const filled = other.#indexes.get(index.name);
      if (filled) this.#indexes.set(index.name, filled);
      else for (const entry of this.entries()) this.#addTo(index, entry);
    }
  }

  #count(former: Entry<T> | undefined, entry: Entry<T> | undefined): void {
    this.size += (entry ? 1 : 0) - (former ? 1 : 0);
    this.bytes += (entry?.bytes ?? 0) - (former?.bytes ?? 0);
    for (const index of this.#indexes.values()) {
      if (former) removeFrom(index, former);
      if (entry) this.#addTo(index, entry);
    }
  }

  #addTo({ name, valuesOf, entries, values }: Index<T>, entry: Entry<T>): void {
    const entryValues = this.#valuesOf(name, valuesOf, entry.object);
    if (entryValues.length === 0) return;
    values.set(entry, entryValues);
    for (const value of entryValues) {
      const set = entries.get(value);
      if (set) set.add(entry);
      else entries.set(value, new Set([entry]));
    }
  }

  #valuesOf(name: string, valuesOf: ValuesOf<T>, object: T): readonly string[] {
    try {
      const values: unknown = synchronous(valuesOf(object));
      if (isListOfStrings(values)) return values;
      throw new TypeError(`it returned ${show(values)}, which is not an array of strings`);
    } catch (error) {
      this.#onIndexError(name, object, error);
      return [];
    }
  }
}

function isListOfStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

interface Index<T extends KubernetesObject> {
  readonly name: string;
  readonly valuesOf: ValuesOf<T>;
  readonly entries: Map<string, Set<Entry<T>>>;
  /** The values under which each entry was added: a second call of the function may return others. */
  readonly values: Map<Entry<T>, readonly string[]>;
}

function removeFrom<T extends KubernetesObject>({ entries, values }: Index<T>, entry: Entry<T>): void {
  for (const value of values.get(entry) ?? []) {
    const set = entries.get(value);
    set?.delete(entry);
    if (set?.size === 0) entries.delete(value);
  }
  values.delete(entry);
}

/**
 * Prepares an object for sharing: freezes it recursively, so that a change throws where it is made, and shares equal
 * strings. Images, node names and labels are the same in thousands of objects.
 */
export function freezeShared<T>(value: T): T {
  if (Array.isArray(value)) freezeList(value);
  else if (typeof value === "object" && value !== null) freezeFields(value as { [field: string]: unknown });
  return value;
}

function freezeList(list: unknown[]): void {
  if (Object.isFrozen(list)) return;
  for (let at = 0; at < list.length; at++) {
    const item = list[at];
    if (typeof item === "string") list[at] = shareString(item);
    else freezeShared(item);
  }
  Object.freeze(list);
}

function freezeFields(object: { [field: string]: unknown }): void {
  if (Object.isFrozen(object)) return;
  for (const field of Object.keys(object)) {
    const value = object[field];
    if (typeof value === "object") {
      freezeShared(value);
    } else if (typeof value === "string") {
      object[field] = shareString(value);
    }
  }
  Object.freeze(object);
}

/** The lengths of strings that are shared. JSON.parse itself shares those of up to ten characters. */
const shortestShared = 11;
const longestShared = 80;

/** The pool is cleared at this size: most names occur once, and must not accumulate. */
const poolCapacity = 20_000;

let pool = new Map<string, string>();

/** Returns the string of the pool that equals this one, which is added if there is none. */
function shareString(text: string): string {
  if (text.length < shortestShared || text.length > longestShared) return text;
  const pooled = pool.get(text);
  if (pooled !== undefined) return pooled;
  if (pool.size >= poolCapacity) pool = new Map();
  pool.set(text, text);
  return text;
}
