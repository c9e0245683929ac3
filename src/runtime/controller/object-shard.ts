import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { InformerEvent, ObjectCache } from "../cache/cache.ts";
import { formatKey, keyOf, type ObjectKey, type Stored } from "../client/client.ts";
import { rangeOf } from "../shards/ranges.ts";
import type { ShardGate } from "../shards/shard-gate.ts";

/** Tells which requests of a controller belong to this process. */
export interface RequestShard<R> {
  readonly gate: ShardGate;
  /** The range of a request; undefined if its object is not known here. */
  rangeOf(request: R): number | undefined;
  /** Forgets a request that was processed, or that belongs to another process now. */
  forget(request: R): void;
}

/** Assigns each request to the process of its object, even if an event of another object caused the request. */
export class ObjectShard<T extends KubernetesObject> implements RequestShard<ObjectKey> {
  readonly gate: ShardGate;
  readonly #cache: ObjectCache;
  readonly #kind: Kind<T>;
  /** The ranges of deleted objects, until their deletion was reconciled. */
  readonly #deleted = new Map<string, number>();

  constructor(gate: ShardGate, cache: ObjectCache, kind: Kind<T>) {
    this.gate = gate;
    this.#cache = cache;
    this.#kind = kind;
  }

  rangeOf(request: ObjectKey): number | undefined {
    const { kinds } = this.gate;
    if (kinds.keyOf(this.#kind) === "namespace") return rangeOf(request.namespace ?? "");
    const object = this.#cache.existing(this.#kind)?.get(request);
    return object ? this.rangeOfObject(object) : this.#deleted.get(formatKey(request));
  }

  rangeOfObject({ metadata }: Stored<KubernetesObject, ObjectKey>): number {
    return this.gate.kinds.rangeOf(this.#kind, metadata);
  }

  /** Remembers the range of a deleted object, which the cache no longer has. */
  note({ type, object }: InformerEvent<Stored<T, ObjectKey>>): void {
    const range = this.rangeOfObject(object);
    if (type === "delete" && this.gate.isOpen(range)) this.#deleted.set(formatKey(keyOf(object)), range);
  }

  forget(request: ObjectKey): void {
    this.#deleted.delete(formatKey(request));
  }
}
