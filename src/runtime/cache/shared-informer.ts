import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { matchLabels, namespaceOf, requireNamespace } from "../client/requests.ts";
import { CallbackError, isThenable } from "../callbacks/callbacks.ts";
import { type Owner, type Stored, type ObjectKey, formatKey } from "../client/client.ts";
import { asStored } from "../client/live-reader.ts";
import { isOwnedBy, ownerValues, ownerValuesIn } from "../client/tracked-children.ts";
import type { TimeSlices } from "../clock/time-slices.ts";
import { TerminalError } from "../errors/api-error.ts";
import type {
  Informer,
  InformerEvent,
  InformerHandler,
  InformerStats,
  SubscribeOptions,
  Subscription,
} from "./cache.ts";
import { Latch } from "../clock/waits.ts";
import type { Entry } from "./object-store.ts";
import { type ReceivedObject, Partition } from "./partition.ts";
import { receiver } from "../tracing/channels.ts";

/** The part of a kind that one watch of an informer covers. */
export interface PartitionPlan {
  /** The namespace; undefined for all, or for all without a partition of their own. */
  readonly namespace: string | undefined;
  readonly covers: (object: KubernetesObject) => boolean;
  readonly prepare: (object: KubernetesObject) => KubernetesObject;
  /** Lists and watches the collection until the signal is aborted. */
  readonly run: (partition: Partition<KubernetesObject>, signal: AbortSignal) => Promise<void>;
}

/** The settings of an informer besides its watches. */
export interface InformerParts {
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly onError: (error: Error) => void;
}

/** The informer of a kind: its partitions and its subscribers. */
export class SharedInformer<
  T extends KubernetesObject,
  Key extends ObjectKey = ObjectKey,
> implements Informer<T, Key> {
  readonly kind: Kind<T, Key>;
  readonly #parts: InformerParts;
  readonly #partitions = new Map<string | undefined, { partition: Partition<T>; plan: PartitionPlan }>();
  readonly #queues = new Set<HandlerQueue<T>>();
  readonly #synced = new Latch();
  readonly #stop = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(kind: Kind<T, Key>, plans: readonly PartitionPlan[], parts: InformerParts) {
    this.kind = kind;
    this.#parts = parts;
    const { clock, onError } = parts;
    for (const plan of plans) {
      const partition = new Partition<T>({
        prepare: (object) => plan.prepare(object) as T,
        covers: plan.covers,
        emit: (events, received) => this.#notify(events, received),
        onSynced: () => this.#checkSynced(),
        onError,
        clock,
        onIndexError: (name, { metadata }, thrown) =>
          onError(new CallbackError("index", `the index "${name}"`, thrown, formatKey(metadata))),
      });
      this.#partitions.set(plan.namespace, { partition, plan });
    }
  }

  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  start(): void {
    this.#running ??= Promise.all(
      [...this.#partitions.values()].map(({ partition, plan }) =>
        plan.run(partition as unknown as Partition<KubernetesObject>, this.#stop.signal),
      ),
    );
  }

  /** Ends reads and subscriptions; resolves when the connections are closed. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error(`the informer of ${this.kind.kind} was stopped`));
    this.#synced.break(this.#stop.signal.reason as Error);
    for (const queue of this.#queues) queue.unsubscribe();
    await this.#running;
  }

  subscribe(handler: InformerHandler<Stored<T, Key>>, { resyncPeriod }: SubscribeOptions = {}): Subscription {
    if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
    const cancelResync = resyncPeriod === undefined ? undefined : this.#resync(resyncPeriod, () => queue);
    const queue: HandlerQueue<T> = new HandlerQueue<T>({
      handler: handler as unknown as InformerHandler<T>,
      onError: ({ object }, thrown) =>
        this.#parts.onError(new CallbackError("handler", "a handler", thrown, formatKey(object.metadata))),
      onEnd: () => {
        cancelResync?.();
        this.#queues.delete(queue);
      },
      slices: this.#parts.slices,
      existing: () => [...this.#seen()].map(({ object }) => object),
    });
    this.#queues.add(queue);
    queue.replay(() => true);
    if (this.hasSynced) queue.markSynced();
    return queue;
  }

  get(key: ObjectKey): Stored<T, Key> | undefined {
    const namespace = requireNamespace(this.kind, namespaceOf(this.kind, {}, key.namespace));
    const entry = this.#requirePartition(namespace).store.get({ namespace, name: key.name });
    return entry && asStored(entry.object);
  }

  list({ labels, fields = {}, owner, ...selection }: Parameters<Informer["list"]>[0] = {}): Stored<T, Key>[] {
    const namespace = namespaceOf(this.kind, {}, selection.namespace) || undefined;
    const matches = matchLabels(labels);
    const selected = Object.entries(fields).filter(([, value]) => value !== undefined);
    const objects: Stored<T, Key>[] = [];
    for (const { partition } of this.#partitionsOf(namespace)) {
      const [first, ...others] = [
        ...(owner ? [entriesByOwner(partition, owner)] : []),
        ...selected.map(([name, value]) => entriesByField(partition, name, value!)),
      ];
      const otherEntries = others.map((entries) => new Set(entries));
      for (const entry of first ?? partition.store.entries(namespace)) {
        if (namespace !== undefined && entry.object.metadata.namespace !== namespace) continue;
        if (otherEntries.some((entries) => !entries.has(entry))) continue;
        if (matches(entry.object.metadata.labels)) objects.push(asStored(entry.object));
      }
    }
    return objects;
  }

  addIndex(name: string, values: (object: Stored<T, Key>) => readonly string[]): void {
    const valuesOf = (object: T) => values(asStored(object));
    for (const { partition } of this.#partitions.values()) partition.store.addIndex(name, valuesOf);
  }

  wrote(object: KubernetesObject): void {
    this.#partitionOf(object.metadata.namespace)?.wrote(object);
  }

  wroteDeletion(key: ObjectKey, uid: string | undefined): void {
    this.#partitionOf(key.namespace)?.wroteDeletion(key, uid);
  }

  get namespaces(): readonly (string | undefined)[] {
    return [...this.#partitions.keys()];
  }

  get stats(): InformerStats {
    const partitions = [...this.#partitions.values()].map(({ partition }) => partition);
    const sum = (count: (partition: Partition<T>) => number): number =>
      partitions.reduce((total, partition) => total + count(partition), 0);
    const ages = partitions.map(({ lastAlive }) => lastAlive).filter((at) => at !== undefined);
    return {
      objects: sum(({ store }) => store.size),
      bytes: sum(({ store }) => store.bytes),
      lastEventAge: ages.length === 0 ? undefined : this.#parts.clock.monotonic() - Math.min(...ages),
      relists: sum(({ relists }) => relists),
      watchErrors: sum(({ watchErrors }) => watchErrors),
      lastError: partitions.find(({ lastError }) => lastError)?.lastError,
    };
  }

  #checkSynced(): void {
    if (this.hasSynced) return;
    for (const { partition } of this.#partitions.values()) if (!partition.hasSynced) return;
    this.#synced.open();
    const queues = [...this.#queues];
    for (const queue of queues) queue.markSynced();
  }

  #notify(events: readonly InformerEvent<T>[], received: Partial<ReceivedObject> = {}): void {
    if (events.length === 0) return;
    if (receiver) this.#tellChanges(events, received);
    // A handler may add a subscription, which gets these objects by itself.
    const queues = [...this.#queues];
    for (const queue of queues) queue.push(events);
  }

  /** Passes changes to who records them; not the objects of the first list. */
  #tellChanges(events: readonly InformerEvent<T>[], { bytes, manager }: Partial<ReceivedObject>): void {
    for (const event of events) {
      if (event.type === "add" && event.isInInitialList) continue;
      receiver?.changed(this.kind, event, bytes, manager);
    }
  }

  *#seen(): Generator<Entry<T>> {
    for (const { partition } of this.#partitions.values()) yield* partition.seen();
  }

  covers(namespace: string | undefined): boolean {
    return this.#partitionOf(namespace) !== undefined;
  }

  #partitionOf(namespace: string | undefined): Partition<T> | undefined {
    return (this.#partitions.get(namespace) ?? this.#partitions.get(undefined))?.partition;
  }

  /** A namespace that is not watched must not look like an empty one. */
  #requirePartition(namespace: string | undefined): Partition<T> {
    const partition = this.#partitionOf(namespace);
    if (partition) return partition;
    const watched = [...this.#partitions.keys()].join(", ");
    throw new TerminalError(
      `${this.kind.plural} of namespace "${namespace ?? ""}" are not in the cache, only those of ${watched}: read live`,
    );
  }

  #partitionsOf(namespace: string | undefined): Iterable<{ partition: Partition<T> }> {
    if (namespace === undefined) return this.#partitions.values();
    return [{ partition: this.#requirePartition(namespace) }];
  }

  /** Delivers all objects to one subscriber periodically, until the returned function is called. Sends no request. */
  #resync(period: number, queue: () => HandlerQueue<T>): () => void {
    if (period < 1000) throw new TerminalError("a resync period is at least 1000 milliseconds");
    let cancel: () => void;
    const plan = (): void => {
      // Controllers that were started together should not do all their work at the same time.
      cancel = this.#parts.clock.setTimer(resync, period * (0.9 + Math.random() * 0.2));
    };
    const resync = (): void => {
      const events = [...this.#seen()].map(
        ({ object }) =>
          ({ type: "update", oldObject: object, object, isResync: true, isOwnWrite: false }) as const,
      );
      queue().push(events);
      plan();
    };
    plan();
    return () => cancel();
  }
}

/** The entries with this value of a field: the name or the namespace, which every object has, or an index. */
function entriesByField<T extends KubernetesObject>(
  { store }: Partition<T>,
  field: string,
  value: string,
): Iterable<Entry<T>> {
  if (field === "metadata.namespace") return store.entries(value);
  if (field !== "metadata.name") return store.indexed(field, value);
  return [...store.entries()].filter(({ object }) => object.metadata.name === value);
}

/** The name of the index by owner, which no field has. */
const ownerIndex = "(owner)";

/** The entries that an owner controls or tracks. The index is made for the first owner that is asked for. */
function entriesByOwner<T extends KubernetesObject>({ store }: Partition<T>, owner: Owner): Set<Entry<T>> {
  if (!store.hasIndex(ownerIndex)) store.addIndex(ownerIndex, ownerValuesIn);
  const entries = ownerValues(owner).flatMap((value) => [...store.indexed(ownerIndex, value)]);
  return new Set(entries.filter(({ object }) => isOwnedBy(owner, object)));
}

/** Marks the end of the first list in a queue. */
const syncMarker = Symbol("synced");

interface HandlerQueueParts<T extends KubernetesObject> {
  readonly handler: InformerHandler<T>;
  readonly onError: (event: InformerEvent<T>, thrown: unknown) => void;
  readonly onEnd: () => void;
  readonly slices: TimeSlices;
  readonly existing: () => Iterable<T>;
}

/** The events of one subscriber, delivered in order, one at a time. */
class HandlerQueue<T extends KubernetesObject> implements Subscription {
  readonly #parts: HandlerQueueParts<T>;
  readonly #synced = new Latch();
  #events: (InformerEvent<T> | typeof syncMarker)[] = [];
  #isBusy = false;
  #hasEnded = false;

  constructor(parts: HandlerQueueParts<T>) {
    this.#parts = parts;
  }

  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  unsubscribe(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events = [];
    this.#synced.break(new Error("the subscription has ended"));
    this.#parts.onEnd();
  }

  replay(matches: (object: Stored<KubernetesObject, ObjectKey>) => boolean): void {
    const events = [...this.#parts.existing()].filter((object) => matches(asStored(object)));
    this.push(events.map((object) => ({ type: "add", object, isInInitialList: true, isOwnWrite: false })));
  }

  push(events: Iterable<InformerEvent<T>>): void {
    if (this.#hasEnded) return;
    for (const event of events) this.#events.push(event);
    this.#start();
  }

  markSynced(): void {
    if (this.#hasEnded) return;
    this.#events.push(syncMarker);
    this.#start();
  }

  #start(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#drain();
  }

  /** Runs synchronously while the slice of this turn lasts, so that a single event is delivered at once. */
  async #drain(): Promise<void> {
    const { slices } = this.#parts;
    for (let at = 0; ;) {
      const pause = slices.pause();
      if (pause) await pause;
      if (at >= this.#events.length) break;
      const event = this.#events[at++]!;
      if (event === syncMarker) {
        this.#synced.open();
      } else {
        const running = this.#deliver(event);
        if (running) await running;
      }
      if (at >= 1024 || at >= this.#events.length) {
        this.#events.splice(0, at);
        at = 0;
      }
    }
    this.#isBusy = false;
  }

  #deliver(event: InformerEvent<T>): Promise<void> | undefined {
    try {
      const result = this.#parts.handler(event);
      if (isThenable(result))
        return result.then(undefined, (error: unknown) => this.#parts.onError(event, error));
    } catch (error) {
      this.#parts.onError(event, error);
    }
    return undefined;
  }
}
