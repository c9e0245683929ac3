import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ApiError } from "../errors/api-error.ts";
import { type ObjectKey, formatKey, keyOf } from "../client/client.ts";
import type { ReflectorSink } from "../watch/reflector.ts";
import type { InformerEvent } from "./cache.ts";
import { receiver } from "../tracing/channels.ts";
import { type Entry, ObjectStore, type OnIndexError } from "./object-store.ts";

/** Milliseconds after which a pending write is forgotten if its resource version can't be compared with the watch's. */
const pendingTimeout = 30_000;

/** What is known of an object of the watch besides its state. */
export interface ReceivedObject {
  /** The length of its JSON. */
  readonly bytes: number;
  /** The field manager that wrote it last, if somebody wants to know. */
  readonly manager: string | undefined;
}

/** The functions and settings that a partition gets from its informer. */
export interface PartitionOptions<T extends KubernetesObject> {
  /** Prepares an object for sharing: completes, transforms and freezes it. */
  readonly prepare: (object: KubernetesObject) => T;
  /** Returns true if the watch would deliver an object that this process wrote. */
  readonly covers: (object: KubernetesObject) => boolean;
  readonly emit: (events: readonly InformerEvent<T>[], received?: ReceivedObject) => void;
  readonly onSynced: () => void;
  readonly onError: (error: ApiError) => void;
  readonly onIndexError: OnIndexError<T>;
  readonly clock: Clock;
}

/**
 * The objects of one watch: all of a kind, or those of one namespace.
 *
 * Reads see writes of this process at once: the answer to a write is put into the store. Subscribers are notified of
 * them by the watch, like of all other changes, and never get an older object after a newer one.
 */
export class Partition<T extends KubernetesObject> implements ReflectorSink {
  readonly store: ObjectStore<T>;
  readonly #options: PartitionOptions<T>;
  readonly #pending = new Map<string, PendingWrite<T>>();
  /** The list that is being read; undefined between lists. */
  #staged: ObjectStore<T> | undefined;
  /** The resource version up to which the watch has delivered everything. */
  #version: string | undefined;
  hasSynced = false;
  relists = 0;
  watchErrors = 0;
  lastError: ApiError | undefined;
  /** When the server last sent anything, by the monotonic clock. */
  lastAlive: number | undefined;

  constructor(options: PartitionOptions<T>) {
    this.#options = options;
    this.store = new ObjectStore(options.onIndexError);
  }

  begin(): void {
    // The first list is indexed object by object as it comes, so that its end takes no time.
    this.#staged = this.hasSynced ? this.#emptyStore() : this.store.createEmptyCopy();
  }

  keep(object: KubernetesObject, bytes: number, isDeleted: boolean): void {
    if (isDeleted) this.#staged?.delete(keyOf(object));
    else this.#staged?.set(this.#entry(object, bytes));
  }

  replace(version: string | undefined): void {
    const staged = this.#staged ?? this.#emptyStore();
    this.#staged = undefined;
    const events =
      this.hasSynced || this.#pending.size > 0 ? this.#merge(staged, version) : this.#fill(staged);
    if (this.hasSynced) this.relists++;
    this.#advance(version, events);
    this.hasSynced = true;
    this.#options.emit(events);
    this.#options.onSynced();
  }

  /** Takes over the first list, in one step: there may be very many objects. */
  #fill(staged: ObjectStore<T>): InformerEvent<T>[] {
    this.store.adopt(staged);
    return [...staged.entries()].map(({ object }) => ({
      type: "add",
      object,
      isInInitialList: true,
      isOwnWrite: false,
    }));
  }

  /** Compares a complete list with what subscribers know: objects that are not in it were deleted. */
  #merge(staged: ObjectStore<T>, version: string | undefined): InformerEvent<T>[] {
    const events: InformerEvent<T>[] = [];
    const isInInitialList = !this.hasSynced;
    for (const entry of staged.entries()) {
      this.#applyState(entry.object.metadata, entry, undefined, version, events, isInInitialList);
    }
    for (const { object } of this.seen()) {
      if (!staged.get(keyOf(object)))
        this.#applyState(object.metadata, undefined, undefined, version, events, false);
    }
    return events;
  }

  change(type: "ADDED" | "MODIFIED" | "DELETED", object: KubernetesObject, bytes: number): void {
    // Managed fields are dropped before an object is shared.
    const manager = receiver ? lastManager(object.metadata) : undefined;
    const entry = this.#entry(object, bytes);
    // A transform may have emptied the original.
    const { metadata } = entry.object;
    const { resourceVersion } = metadata;
    const events: InformerEvent<T>[] = [];
    const [next, last] = type === "DELETED" ? [undefined, entry] : [entry, undefined];
    this.#applyState(metadata, next, last, resourceVersion, events, false);
    this.#advance(resourceVersion, events);
    this.#options.emit(events, { bytes, manager });
  }

  /** Drops the objects that the watch doesn't cover any more, also of a list that is still being read. */
  narrow(): void {
    for (const { object } of this.#staged?.entries() ?? [])
      if (!this.#options.covers(object)) this.#staged?.delete(keyOf(object));
    const events: InformerEvent<T>[] = [];
    const known = [...this.store.entries(), ...this.seen()];
    for (const { object } of known) if (!this.#options.covers(object)) this.#drop(object.metadata, events);
    this.#options.emit(events);
  }

  /** Drops an object that the watch no longer covers, with its pending write: it belongs to another process now. */
  #drop(metadata: ObjectMeta, events: InformerEvent<T>[]): void {
    this.#applyState(metadata, undefined, undefined, this.#version, events, false);
    this.#pending.delete(formatKey(metadata));
    this.store.delete({ namespace: metadata.namespace, name: metadata.name ?? "" });
  }

  progress(version: string): void {
    const events: InformerEvent<T>[] = [];
    this.#advance(version, events);
    this.#options.emit(events);
  }

  report(error: ApiError): void {
    this.watchErrors++;
    this.lastError = error;
    this.#options.onError(error);
  }

  alive(): void {
    this.lastAlive = this.#options.clock.monotonic();
    this.lastError = undefined;
  }

  /** Stores the result of a write of this process. */
  wrote(object: KubernetesObject): void {
    const { resourceVersion, uid } = object.metadata;
    if (resourceVersion === undefined || this.#hasPassed(resourceVersion)) return;
    const key = keyOf(object);
    const stored = this.store.get(key);
    if (stored && isAtLeast(stored, uid, resourceVersion)) return;
    const entry = this.#options.covers(object) ? this.#entry(object, stored?.bytes ?? 0) : undefined;
    this.#remember(key, stored, entry, { isDeletion: false, version: resourceVersion, uid });
    if (entry) this.store.set(entry);
    else this.store.delete(key);
  }

  /** Records that this process deleted an object. */
  wroteDeletion(key: ObjectKey, uid: string | undefined): void {
    const stored = this.store.get(key);
    if (!stored || (uid !== undefined && stored.object.metadata.uid !== uid)) return;
    const { resourceVersion: version, uid: deleted } = stored.object.metadata;
    this.#remember(key, stored, undefined, { isDeletion: true, version, uid: deleted });
    this.store.delete(key);
  }

  /** The objects as subscribers know them. */
  *seen(): Generator<Entry<T>> {
    for (const entry of this.store.entries()) {
      const pending = this.#pending.size > 0 && this.#pending.has(formatKey(entry.object.metadata));
      if (!pending) yield entry;
    }
    for (const { seen } of this.#pending.values()) if (seen) yield seen;
  }

  #emptyStore(): ObjectStore<T> {
    return new ObjectStore(this.#options.onIndexError);
  }

  /** Returns the entry of an object: the known one, if this version is known, or else a new one. */
  #entry(object: KubernetesObject, bytes: number): Entry<T> {
    const known = this.#known(object.metadata);
    return known ?? { object: this.#options.prepare(object), bytes };
  }

  /** Finds the entry of this version of an object, which readers and subscribers share. */
  #known(metadata: ObjectMeta): Entry<T> | undefined {
    const { namespace, name = "" } = metadata;
    const stored = this.store.get({ namespace, name });
    if (stored && isVersion(stored, metadata)) return stored;
    const seen = this.#pending.size > 0 ? this.#pending.get(formatKey(metadata))?.seen : undefined;
    return seen && isVersion(seen, metadata) ? seen : undefined;
  }

  /** Records a write until the watch has delivered it. */
  #remember(
    key: ObjectKey,
    stored: Entry<T> | undefined,
    written: Entry<T> | undefined,
    write: Pick<PendingWrite<T>, "isDeletion" | "version" | "uid">,
  ): void {
    const text = formatKey(key);
    const former = this.#pending.get(text);
    const seen = former ? former.seen : stored;
    const candidates = [...(former?.unseen ?? []), ...(written ? [written] : [])];
    const unseen = candidates.filter(
      (entry, index) =>
        uidOf(entry) !== uidOf(seen) &&
        candidates.findLastIndex((other) => uidOf(other) === uidOf(entry)) === index,
    );
    this.#pending.set(text, { ...write, seen, unseen, at: this.#options.clock.monotonic() });
  }

  /** Stores the state of an object: the version that the watch delivered, or a deletion, with the last version if known. */
  #applyState(
    metadata: ObjectMeta,
    delivered: Entry<T> | undefined,
    last: Entry<T> | undefined,
    version: string | undefined,
    events: InformerEvent<T>[],
    isInInitialList: boolean,
  ): void {
    const key = formatKey(metadata);
    const objectKey = { namespace: metadata.namespace, name: metadata.name ?? "" };
    const pending = this.#pending.get(key);
    const stored = this.store.get(objectKey);
    const seen = pending ? pending.seen : stored;
    // A list may have been read before the same version was stored.
    const next = delivered && (this.#known(metadata) ?? delivered);
    const isOwnWrite =
      pending?.isDeletion === false && pending.version === next?.object.metadata.resourceVersion;
    const unseen = pending?.unseen.filter((entry) => uidOf(entry) !== uidOf(next)) ?? [];
    const isDone = !pending || isSettled(pending, next, version);
    const between = isDone ? unseen.flatMap(addAndDelete) : [];
    describeChange(seen, next, last, between, events, { isInInitialList, isOwnWrite });
    if (pending && !isDone) {
      pending.seen = next;
      pending.unseen = unseen;
      return;
    }
    this.#pending.delete(key);
    if (next) {
      if (next !== stored) this.store.set(next);
    } else {
      this.store.delete(objectKey);
    }
  }

  /**
   * Notes that everything up to a version has been delivered. A pending write up to that version which was not delivered
   * is outside of this watch, or was undone while the watch was interrupted. Reads may have returned its result, so
   * subscribers get an event for its end.
   */
  #advance(version: string | undefined, events: InformerEvent<T>[]): void {
    if (version !== undefined) this.#version = version;
    if (this.#pending.size === 0) return;
    const now = this.#options.clock.monotonic();
    for (const [key, pending] of this.#pending) {
      // If subscribers know the deleted object, the watch will deliver its deletion, however late.
      const awaited = pending.isDeletion && pending.seen ? undefined : pending.version;
      const isDone = isComparable(awaited) ? this.#hasPassed(awaited) : now - pending.at >= pendingTimeout;
      if (!isDone) continue;
      this.#pending.delete(key);
      events.push(...this.#undo(parseKey(key), pending));
    }
  }

  /** Restores the state that subscribers know. Returns events for what reads returned in the meantime. */
  #undo(key: ObjectKey, { seen, unseen }: PendingWrite<T>): InformerEvent<T>[] {
    this.store.delete(key);
    if (!seen) return unseen.flatMap(addAndDelete);
    this.store.set(seen);
    const { object } = seen;
    return [{ type: "update", oldObject: object, object, isResync: true, isOwnWrite: false }];
  }

  #hasPassed(version: string): boolean {
    return this.#version !== undefined && (compareResourceVersions(this.#version, version) ?? -1) >= 0;
  }
}

/** Describes the change from what subscribers know to the current state; `between` are objects that came and went. */
function describeChange<T extends KubernetesObject>(
  seen: Entry<T> | undefined,
  next: Entry<T> | undefined,
  last: Entry<T> | undefined,
  between: readonly InformerEvent<T>[],
  events: InformerEvent<T>[],
  flags: { readonly isInInitialList: boolean; readonly isOwnWrite: boolean },
): void {
  if (!seen || uidOf(seen) !== uidOf(next)) {
    // Deleted and recreated under the same name while the watch was interrupted, subscribers see several objects.
    if (seen) events.push({ type: "delete", object: (last ?? seen).object, isStateUnknown: !last });
    events.push(...between);
    const isInInitialList = flags.isInInitialList && !seen;
    if (next) events.push({ type: "add", object: next.object, ...flags, isInInitialList });
    return;
  }
  if (next && !isVersion(seen, next.object.metadata)) {
    const { isOwnWrite } = flags;
    events.push({ type: "update", oldObject: seen.object, object: next.object, isResync: false, isOwnWrite });
  }
}

/** The events of an object that existed only between two states that subscribers know. */
function addAndDelete<T extends KubernetesObject>({ object }: Entry<T>): InformerEvent<T>[] {
  return [
    { type: "add", object, isInInitialList: false, isOwnWrite: true },
    { type: "delete", object, isStateUnknown: true },
  ];
}

function uidOf(entry: Entry | undefined): string | undefined {
  return entry?.object.metadata.uid;
}

/** Returns true if an entry is this version of its object, and not of another one of that name. */
function isVersion({ object }: Entry, { uid, resourceVersion }: ObjectMeta): boolean {
  return uid === object.metadata.uid && resourceVersion === object.metadata.resourceVersion;
}

/** A write of this process that the watch has not delivered yet. */
interface PendingWrite<T extends KubernetesObject> {
  /** The object as subscribers know it. */
  seen: Entry<T> | undefined;
  /** Objects that this process created and that reads returned, but of which subscribers have had no event. */
  unseen: readonly Entry<T>[];
  readonly isDeletion: boolean;
  /** The version of the write. For a deletion, whose version is unknown, the version of the deleted object. */
  readonly version: string | undefined;
  readonly uid: string | undefined;
  /** When it was written, by the monotonic clock. */
  readonly at: number;
}

/** Returns true if the watch has delivered the write, or a later version. */
function isSettled<T extends KubernetesObject>(
  write: PendingWrite<T>,
  next: Entry<T> | undefined,
  version: string | undefined,
): boolean {
  if (write.isDeletion && next?.object.metadata.uid === write.uid) return false;
  if (write.isDeletion && !isComparable(write.version)) return true;
  if (write.version === undefined) return false;
  return version !== undefined && (compareResourceVersions(version, write.version) ?? -1) >= 0;
}

/** Returns true for a numeric version, which can be compared with the version of the watch. */
function isComparable(version: string | undefined): version is string {
  return version !== undefined && /^\d+$/.test(version);
}

/** Returns true if an entry is this version of the object or a later one. */
function isAtLeast({ object }: Entry, uid: string | undefined, version: string): boolean {
  const { resourceVersion = "" } = object.metadata;
  return object.metadata.uid === uid && (compareResourceVersions(resourceVersion, version) ?? -1) >= 0;
}

/**
 * Compares two resource versions of a kind: negative if `a` is older, 0 if they are equal, undefined if one is not a
 * number, as servers other than Kubernetes' own may send. They are compared as text: a double may not hold them.
 */
function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!/^\d+$/.test(a) || !/^\d+$/.test(b)) return undefined;
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length;
}

/** Parses the text of `formatKey`. */
function parseKey(key: string): ObjectKey {
  const slash = key.indexOf("/");
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Returns the field manager that wrote last; of several in one second, the last one. */
function lastManager({ managedFields = [] }: ObjectMeta): string | undefined {
  let last = managedFields[0];
  for (const entry of managedFields) if ((entry.time ?? "") >= (last?.time ?? "")) last = entry;
  return last?.manager;
}
