import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import { aborted, onAbort } from "../clock/waits.ts";
import { hasRange, noRanges, shardSelectorOf } from "../shards/ranges.ts";
import type { ShardGate, ShardKey, ShardLoader } from "../shards/shard-gate.ts";
import type { ReflectorSink } from "../watch/reflector.ts";
import type { Partition } from "./partition.ts";

/** The part of a kind that this process caches: the objects whose ranges the gate holds. */
export interface Shard {
  readonly gate: ShardGate;
  readonly key: ShardKey;
  readonly rangeOf: (metadata: ObjectMeta) => number;
}

/** Returns true if an object is in a range that this process holds. */
export function isHeld({ gate, rangeOf }: Shard, { metadata }: KubernetesObject): boolean {
  return hasRange(gate.held, rangeOf(metadata));
}

/** Lists and watches the objects that a shard selector matches, all for `""`, until the signal is aborted. */
export type StartWatch = (shardSelector: string, sink: ReflectorSink, signal: AbortSignal) => Promise<void>;

/**
 * Watches the objects of the ranges that this process holds. It starts again when it gains ranges; when it loses some,
 * it drops their objects and goes on. A server that doesn't know the selector sends every object; those of other ranges
 * are dropped before they are stored.
 */
export class ShardedWatch implements ShardLoader {
  readonly #shard: Shard;
  readonly #partition: Partition<KubernetesObject>;
  readonly #start: StartWatch;
  readonly #onLoaded: (() => void)[] = [];
  #watching = new AbortController();

  constructor(shard: Shard, partition: Partition<KubernetesObject>, start: StartWatch) {
    this.#shard = shard;
    this.#partition = partition;
    this.#start = start;
  }

  async run(signal: AbortSignal): Promise<void> {
    const remove = this.#shard.gate.addLoader(this);
    while (!signal.aborted) {
      const watching = new AbortController();
      this.#watching = watching;
      const forget = onAbort(signal, () => watching.abort(signal.reason));
      await this.#watch(watching.signal);
      forget();
    }
    remove();
    this.#resolveLoads();
  }

  load(): Promise<void> {
    const loaded = new Promise<void>((resolve) => void this.#onLoaded.push(resolve));
    this.#watching.abort();
    return loaded;
  }

  drop(): void {
    this.#partition.narrow();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { gate, key } = this.#shard;
    const { held } = gate;
    if (held !== noRanges) return this.#start(shardSelectorOf(key, held), this.#sinkForHeld(signal), signal);
    if (!this.#partition.hasSynced) {
      this.#partition.begin();
      this.#partition.replace(undefined);
    }
    this.#resolveLoads();
    return aborted(signal);
  }

  #resolveLoads(): void {
    for (const resolve of this.#onLoaded.splice(0)) resolve();
  }

  /** Returns a sink that passes on only the objects of held ranges. */
  #sinkForHeld(signal: AbortSignal): ReflectorSink {
    const partition = this.#partition;
    const { gate } = this.#shard;
    const isOurs = (object: KubernetesObject): boolean => {
      if (isHeld(this.#shard, object)) return true;
      gate.dropped++;
      return false;
    };
    return {
      begin: () => partition.begin(),
      keep: (object, bytes, isDeleted) => {
        if (isOurs(object)) partition.keep(object, bytes, isDeleted);
      },
      replace: (version) => {
        partition.replace(version);
        if (!signal.aborted) this.#resolveLoads();
      },
      change: (type, object, bytes) => {
        if (isOurs(object)) partition.change(type, object, bytes);
        else if (object.metadata.resourceVersion) partition.progress(object.metadata.resourceVersion);
      },
      progress: (version) => partition.progress(version),
      report: (error) => partition.report(error),
      alive: () => partition.alive(),
    };
  }
}
