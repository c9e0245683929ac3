import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import { onAbort } from "../clock/waits.ts";
import { hasRange, noRanges, shardSelectorOf } from "../shards/ranges.ts";
import type { ShardGate, ShardKey, ShardLoader } from "../shards/shard-gate.ts";
import type { ReflectorSink } from "../watch/reflector.ts";

/** The part of a kind that this process caches. */
export interface Shard {
  readonly gate: ShardGate;
  readonly key: ShardKey;
  readonly rangeOf: (metadata: ObjectMeta) => number;
}

/** Receives the objects that the watch of a shard reads. */
export interface ShardSink extends ReflectorSink {
  readonly hasSynced: boolean;
  /** Drops the objects that are not selected any more. */
  narrow(): void;
}

/** Lists and watches the objects that a selector matches, from the newest version on, until the signal is aborted. */
export type StartWatch = (selector: string, sink: ReflectorSink, signal: AbortSignal) => Promise<void>;

/** Returns true if an object is in a range that this process holds. */
export function isHeld({ gate, rangeOf }: Shard, { metadata }: KubernetesObject): boolean {
  return hasRange(gate.held, rangeOf(metadata));
}

/**
 * Watches the objects of the ranges that this process holds. It starts again when it gains ranges; when it loses some,
 * it drops their objects and goes on. A server that doesn't know the selector sends every object; those of other ranges
 * are dropped before they are stored.
 */
export class ShardedWatch implements ShardLoader {
  readonly #shard: Shard;
  readonly #sink: ShardSink;
  readonly #start: StartWatch;
  readonly #loads: (() => void)[] = [];
  #watching = new AbortController();

  constructor(shard: Shard, sink: ShardSink, start: StartWatch) {
    this.#shard = shard;
    this.#sink = sink;
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
    this.#loaded();
  }

  load(): Promise<void> {
    const loaded = new Promise<void>((resolve) => void this.#loads.push(resolve));
    this.#watching.abort();
    return loaded;
  }

  drop(): void {
    this.#sink.narrow();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { gate, key } = this.#shard;
    const { held } = gate;
    if (held !== noRanges) return this.#start(shardSelectorOf(key, held), this.#held(signal), signal);
    if (!this.#sink.hasSynced) {
      this.#sink.begin();
      this.#sink.replace(undefined);
    }
    this.#loaded();
    return new Promise((resolve) => void onAbort(signal, resolve));
  }

  #loaded(): void {
    for (const resolve of this.#loads.splice(0)) resolve();
  }

  /** A sink that passes on only the objects of held ranges. */
  #held(signal: AbortSignal): ReflectorSink {
    const sink = this.#sink;
    const { gate } = this.#shard;
    const isOurs = (object: KubernetesObject): boolean => {
      const isOurs = isHeld(this.#shard, object);
      if (!isOurs) gate.dropped++;
      return isOurs;
    };
    return {
      begin: () => sink.begin(),
      keep: (object, bytes, isDeleted) => {
        if (isOurs(object)) sink.keep(object, bytes, isDeleted);
      },
      replace: (version) => {
        sink.replace(version);
        if (!signal.aborted) this.#loaded();
      },
      change: (type, object, bytes) => {
        if (isOurs(object)) sink.change(type, object, bytes);
        else if (object.metadata.resourceVersion) sink.progress(object.metadata.resourceVersion);
      },
      progress: (version) => sink.progress(version),
      report: (error) => sink.report(error),
      alive: () => sink.alive(),
    };
  }
}
