import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Kind, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import { settledWithin } from "../clock/waits.ts";
import { type Ranges, hasRange, noRanges, rangeOf } from "./ranges.ts";

/** Caches the objects of the ranges that are held. */
export interface ShardLoader {
  /** Resolves when the objects of all held ranges are cached as they are now, or later. */
  load(): Promise<void>;
  /** Forgets the objects of ranges that are not held any more. */
  drop(): void;
}

/** Reconciles the objects of the ranges that are open. */
export interface ShardWorker {
  /** Resolves when nothing of these ranges is reconciled. */
  idle(ranges: Ranges): Promise<void>;
  /** Aborts the reconciles of these ranges. */
  abort(ranges: Ranges): void;
  /** The process may write again. */
  resume(): void;
}

/** Options of sharding. */
export interface ShardGateOptions {
  readonly by: ShardKey;
  readonly clock: Clock;
  /** Milliseconds that the reconciles of a range have to end in when it moves. */
  readonly drainTimeout: number;
}

/**
 * Tells caches and controllers which ranges this process works on. A gained range is loaded, then opened: its objects are
 * reconciled. A range that is given up is closed, and dropped from the caches when its last reconcile has ended.
 */
export class ShardGate {
  readonly kinds: ShardedKinds;
  /** Returns true if the process may write for these ranges at this moment. */
  mayWrite: (ranges: Ranges) => boolean = () => false;
  /** The number of objects of other processes that were received: from servers without sharded watches. */
  dropped = 0;
  readonly #options: ShardGateOptions;
  readonly #loaders = new Set<ShardLoader>();
  readonly #workers = new Set<ShardWorker>();
  readonly #openListeners = new Set<(ranges: Ranges) => void>();
  #held = noRanges;
  #open = noRanges;
  #draining = noRanges;
  /** Counts changes of the ranges, to find out that a load in progress is outdated. */
  #changes = 0;
  /** Counts the losses of all ranges. */
  #losses = 0;

  constructor(options: ShardGateOptions) {
    this.kinds = new ShardedKinds(options.by);
    this.#options = options;
  }

  /** The ranges whose objects are cached: open, loading or draining. */
  get held(): Ranges {
    return this.#held;
  }

  /** The ranges whose objects are reconciled. */
  get open(): Ranges {
    return this.#open;
  }

  isOpen(range: number | undefined): boolean {
    return range !== undefined && hasRange(this.#open, range);
  }

  /** True if reconciles may start. A process that could not renew its Lease waits. */
  get isFresh(): boolean {
    return this.mayWrite(noRanges);
  }

  /** Throws unless the process still works on a range. Called before each attempt of a write. */
  assertMayWrite(range: number): void {
    if (this.mayWrite(1n << BigInt(range))) return;
    throw new Error("this process may not write any more: another one may reconcile the object now");
  }

  /** Adds a loader; returns a function that removes it. */
  addLoader(loader: ShardLoader): () => void {
    this.#loaders.add(loader);
    return () => this.#loaders.delete(loader);
  }

  addWorker(worker: ShardWorker): void {
    this.#workers.add(worker);
  }

  /** Calls a listener with ranges when they open. Returns a function that removes it. */
  onOpen(listener: (ranges: Ranges) => void): () => void {
    this.#openListeners.add(listener);
    return () => this.#openListeners.delete(listener);
  }

  /** Loads ranges and opens them; resolves with the ranges that were opened. */
  async hold(ranges: Ranges): Promise<Ranges> {
    this.#held |= ranges;
    const change = ++this.#changes;
    await Promise.all([...this.#loaders].map((loader) => loader.load()));
    // Only the last of several calls opens: its load has the objects of all of them.
    if (change !== this.#changes) return noRanges;
    const opened = this.#held & ~this.#draining & ~this.#open;
    this.#open |= opened;
    for (const listener of this.#openListeners) listener(opened);
    return opened;
  }

  /**
   * Closes ranges; resolves when their reconciles have ended or were aborted. False if everything was lost meanwhile.
   */
  async drain(ranges: Ranges): Promise<boolean> {
    const losses = this.#losses;
    this.#open &= ~ranges;
    this.#draining |= ranges;
    const workers = [...this.#workers];
    const idle = Promise.all(workers.map((worker) => worker.idle(ranges))).then(() => {});
    const { clock, drainTimeout } = this.#options;
    await settledWithin(clock, drainTimeout, idle, () => {
      for (const worker of workers) worker.abort(ranges);
    });
    if (losses !== this.#losses) return false;
    this.#held &= ~ranges;
    this.#draining &= ~ranges;
    for (const loader of this.#loaders) loader.drop();
    return true;
  }

  /** Closes all ranges at once: others may hold them. */
  lose(): void {
    const lost = this.#held;
    this.#losses++;
    this.#changes++;
    this.#held = noRanges;
    this.#open = noRanges;
    this.#draining = noRanges;
    for (const worker of this.#workers) worker.abort(lost);
    for (const loader of this.#loaders) loader.drop();
  }

  /** Starts the reconciles that waited for the Lease to be renewed. */
  resume(): void {
    for (const worker of this.#workers) worker.resume();
  }
}

/** The field of an object's metadata whose hash determines its range. */
export type ShardKey = "uid" | "namespace";

/** Determines how the objects of each kind are shared, and which kinds the caches hold only a part of. */
export class ShardedKinds {
  readonly #by: ShardKey;
  readonly #divided = new Set<string>();
  readonly #whole = new Set<string>();

  constructor(by: ShardKey) {
    this.#by = by;
  }

  /** The field by which a kind's objects are shared: the `uid` for cluster-scoped ones. */
  keyOf({ scope }: Pick<Kind, "scope">): ShardKey {
    return scope === "Namespaced" ? this.#by : "uid";
  }

  rangeOf(kind: Pick<Kind, "scope">, metadata: Pick<ObjectMeta, "uid" | "namespace">): number {
    return rangeOf(metadata[this.keyOf(kind)] ?? "");
  }

  /** Lets the cache keep only this process's part of a kind, unless `keepWhole` is called for it. */
  divide(id: string): void {
    this.#divided.add(id);
  }

  /** Makes the cache keep all objects of a kind. */
  keepWhole(id: string): void {
    this.#whole.add(id);
  }

  isDivided(id: string): boolean {
    return this.#divided.has(id) && !this.#whole.has(id);
  }
}
