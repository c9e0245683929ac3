import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { callSafely, warnOf } from "../callbacks/call-safely.ts";
import { ApiError } from "../errors/api-error.ts";
import { currentCallContext } from "../scope/call-context.ts";
import type { Client } from "../client/client.ts";
import type { DeepReadonly } from "../client/deep-readonly.ts";
import { isMetadataOnly, metadataOnly } from "../client/metadata-only.ts";
import { formatKey, type ObjectKey } from "../client/object-key.ts";
import type { ListOptions, ReadOptions } from "../client/options.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import { systemClock } from "@tsbuilder/apimachinery/time";
import type { Cache, CacheOptions, InformerScope, KindCacheOptions } from "./cache.ts";
import type { Informer } from "./informer.ts";
import { idOf } from "./kind-id.ts";
import { planPartitions } from "./partition-plans.ts";
import { SharedInformer } from "./shared-informer.ts";
import type { Shard } from "./sharded-watch.ts";
import type { ShardGate } from "../shards/shard-gate.ts";

/** Creates a cache that reads through a client. Nothing is sent before `start`. */
export function createCache(client: Client, options: CacheOptions = {}): Cache {
  return new InformerCache(client, options, undefined, new TimeSlices(options.clock));
}

/** Creates the cache of a manager, whose kinds may be divided among processes. */
export function createShardedCache(
  client: Client,
  options: CacheOptions,
  gate: ShardGate | undefined,
  slices: TimeSlices,
): Cache {
  return new InformerCache(client, options, gate, slices);
}

/** The informers of a process; see `Cache` for the contract of each call. */
class InformerCache implements Cache {
  readonly #client: Client;
  readonly #options: CacheOptions;
  readonly #gate: ShardGate | undefined;
  readonly #slices: TimeSlices;
  readonly #informers = new Map<string, SharedInformer<KubernetesObject>>();
  readonly #scopes = new Map<string, InformerScope>();
  #state: "new" | "started" | "stopped" = "new";

  constructor(client: Client, options: CacheOptions, gate: ShardGate | undefined, slices: TimeSlices) {
    checkNamespaces("the cache", options);
    for (const [kind, own] of options.kinds ?? []) checkNamespaces(`${kind.plural} in the cache`, own);
    this.#client = client;
    this.#options = options;
    this.#gate = gate;
    this.#slices = slices;
  }

  get informers(): readonly Informer[] {
    return [...this.#informers.values()];
  }

  informer<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T> {
    const existing = this.existing(kind);
    if (existing) return existing;
    if (this.#state === "stopped") throw new TerminalError("the cache was stopped");
    const { keepManagedFields = false, watchList = true, clock = systemClock } = this.#options;
    const { fieldManager } = this.#options;
    const onError = (error: Error): void =>
      callSafely(() => this.#options.onError?.(error, { kind }), warnOf("the cache's onError"));
    const plans = planPartitions(kind, this.optionsOf(kind), {
      client: this.#client,
      keepManagedFields,
      fieldManager,
      watchList,
      clock,
      slices: this.#slices,
      onError,
      shard: () => this.#shardOf(kind),
    });
    const informer = new SharedInformer<T>(kind, plans, { clock, slices: this.#slices, onError });
    this.#informers.set(idOf(kind), informer as unknown as SharedInformer<KubernetesObject>);
    if (this.#state === "started") informer.start();
    return informer;
  }

  existing<T extends KubernetesObject>(kind: Kind<T>): SharedInformer<T> | undefined {
    return this.#informers.get(idOf(kind)) as unknown as SharedInformer<T> | undefined;
  }

  start(): void {
    if (this.#state === "stopped") throw new TerminalError("the cache was stopped");
    this.#state = "started";
    for (const informer of this.#informers.values()) informer.start();
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced(signal)));
  }

  remove(kind: Kind): void {
    const informer = this.#informers.get(idOf(kind));
    this.#informers.delete(idOf(kind));
    void informer?.stop();
  }

  async stop(): Promise<void> {
    this.#state = "stopped";
    const informers = [...this.#informers.values()];
    this.#informers.clear();
    await Promise.all(informers.map((informer) => informer.stop()));
  }

  addIndex<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    values: (object: DeepReadonly<T>) => readonly string[],
  ): void {
    this.informer(kind).addIndex(name, values);
  }

  keepOnly(kind: Kind, scope: InformerScope): void {
    const known = this.#scopes.get(idOf(kind));
    if (known && known.labels === scope.labels && known.fields === scope.fields) return;
    if (known || this.existing(kind)) {
      throw new TerminalError(
        `${kind.plural} are already cached with another scope: call keepOnly() once, before the kind is watched`,
      );
    }
    this.#scopes.set(idOf(kind), scope);
  }

  async find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: ReadOptions = {},
  ): Promise<DeepReadonly<T> | undefined> {
    if (this.#isLive(kind, options)) return this.#client.find(kind, key, options);
    const informer = this.existing(kind);
    return (informer?.hasSynced ? informer : await this.#readable(kind, options.signal)).get(key);
  }

  async get<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: ReadOptions = {},
  ): Promise<DeepReadonly<T>> {
    if (this.#isLive(kind, options)) return this.#client.get(kind, key, options);
    const object = await this.find(kind, key, options);
    if (object) return object;
    throw new ApiError({
      code: 404,
      reason: "NotFound",
      message: `${kind.plural} "${formatKey(key)}" not found in the cache`,
    });
  }

  async list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<DeepReadonly<T>[]> {
    if (this.#isLive(kind, options)) return this.#client.list(kind, options);
    const objects = (await this.#readable(kind, options.signal)).list(options);
    return options.limit === undefined ? objects : objects.slice(0, options.limit);
  }

  wrote(kind: Kind, object: KubernetesObject): void {
    for (const view of viewsOf(kind)) {
      const informer = this.existing(view);
      if (informer) informer.wrote(isMetadataOnly(view) ? metadataOf(object) : copyOf(object));
    }
  }

  wroteDeletion(kind: Kind, key: ObjectKey, uid: string | undefined): void {
    for (const view of viewsOf(kind)) this.existing(view)?.wroteDeletion(key, uid);
  }

  /** The options of a kind: its own override those of `keepOnly`, which override those for all kinds. */
  optionsOf(kind: Kind): KindCacheOptions {
    const { labels, fields, transform, namespaces, live } = this.#options;
    return {
      labels,
      fields,
      transform,
      namespaces,
      live,
      ...this.#scopes.get(idOf(kind)),
      ...this.#ownOptionsOf(kind),
    };
  }

  /** The part of a kind that is kept; undefined for all of it. Known when the watch starts. */
  #shardOf(kind: Kind): Shard | undefined {
    const gate = this.#gate;
    if (!gate?.kinds.isDivided(idOf(kind))) return undefined;
    const { kinds } = gate;
    return { gate, key: kinds.keyOf(kind), rangeOf: (metadata) => kinds.rangeOf(kind, metadata) };
  }

  #isLive(kind: Kind, options: ReadOptions): boolean {
    return options.live ?? this.#ownOptionsOf(kind)?.live ?? this.#options.live ?? false;
  }

  #ownOptionsOf(kind: Kind): KindCacheOptions | undefined {
    return this.#options.kinds?.find(([candidate]) => idOf(candidate) === idOf(kind))?.[1];
  }

  /** The informer of a kind, ready to be read. */
  async #readable<T extends KubernetesObject>(
    kind: Kind<T>,
    signal: AbortSignal | undefined,
  ): Promise<SharedInformer<T>> {
    const existing = this.existing(kind);
    if (existing?.hasSynced) return existing;
    if (this.#state === "new") {
      throw new TerminalError(`the cache is not started, so it has no ${kind.plural}; read live, or later`);
    }
    if (!existing) this.#checkMissing(kind);
    const informer = this.informer(kind);
    await informer.synced(signal ?? currentCallContext()?.signal);
    return informer;
  }

  #checkMissing(kind: Kind): void {
    const { missingInformer = "warn", onWarning } = this.#options;
    const what = `a read of ${kind.plural} that nobody watches`;
    if (missingInformer === "fail") {
      throw new TerminalError(`${what}: watch the kind, add it to the cache, or read live`);
    }
    if (missingInformer === "warn") {
      const text = `${what} starts to cache all of them: watch the kind, or read live`;
      callSafely(() => onWarning?.(text, { kind }), warnOf("the cache's onWarning"));
    }
  }
}

/** Without a namespace nothing would be watched, and a cache that holds nothing never syncs. */
function checkNamespaces(what: string, { namespaces }: KindCacheOptions): void {
  if (namespaces === undefined || Object.keys(namespaces).length > 0) return;
  throw new TerminalError(`the namespaces of ${what} are an empty list: omit it for all namespaces`);
}

function viewsOf(kind: Kind): readonly Kind[] {
  return isMetadataOnly(kind) ? [kind] : [kind, metadataOnly(kind)];
}

function metadataOf({ metadata }: KubernetesObject): KubernetesObject {
  return {
    apiVersion: "meta.k8s.io/v1",
    kind: "PartialObjectMetadata",
    metadata: copyOf(metadata),
  };
}

/** Copies JSON; `structuredClone` takes four times as long. */
function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: { [field: string]: unknown } = {};
  for (const field of Object.keys(value))
    copy[field] = copyOf((value as { [field: string]: unknown })[field]);
  return copy as T;
}
