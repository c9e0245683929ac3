import type { Kind, KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { CallbackError, callSafely, show, synchronous, warnOf } from "../callbacks/callbacks.ts";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import { currentCallContext } from "../scope/scope.ts";
import { type Client, type ObjectKey, type ReadOptions, formatKey } from "../client/client.ts";
import { acceptOf, idOf, isMetadataOnly, metadataOnly } from "../client/metadata-only.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import type { CacheOptions, Informer, InformerScope, KindCacheOptions, ObjectCache } from "./cache.ts";
import { type PartitionPlan, SharedInformer } from "./shared-informer.ts";
import type { ShardGate, ShardKey, ShardLoader } from "../shards/shard-gate.ts";
import { matchFields, matchLabels, resourcePath } from "../client/requests.ts";
import { Reflector, type ReflectorSink } from "../watch/reflector.ts";
import { noteOwnership, readOwnership } from "./applied-fields.ts";
import { freezeShared } from "./object-store.ts";
import { aborted, onAbort } from "../clock/waits.ts";
import { hasRange, noRanges, shardSelectorOf } from "../shards/ranges.ts";
import type { Partition } from "./partition.ts";

/** Creates a cache that reads through a client. Nothing is sent before `start`. */
export function createCache(client: Client, options: CacheOptions = {}): ObjectCache {
  return new InformerCache(client, options, undefined, new TimeSlices(options.clock));
}

/** The informers of a process, of which some may hold only this process's shard; see `ObjectCache` for its calls. */
export class InformerCache implements ObjectCache {
  readonly #client: Client;
  readonly #options: CacheOptions;
  readonly #gate: ShardGate | undefined;
  readonly #slices: TimeSlices;
  readonly #informers = new Map<string, SharedInformer<KubernetesObject>>();
  readonly #scopes = new Map<string, InformerScope>();
  readonly #optional = new Set<string>();
  #state: "new" | "started" | "stopped" = "new";

  /** With a gate, kinds may be divided among processes. */
  constructor(client: Client, options: CacheOptions, gate: ShardGate | undefined, slices: TimeSlices) {
    checkNamespaces("the cache", options);
    for (const [kind, kindOptions] of options.kinds ?? [])
      checkNamespaces(`${kind.plural} in the cache`, kindOptions);
    this.#client = client;
    this.#options = options;
    this.#gate = gate;
    this.#slices = slices;
  }

  get informers(): readonly Informer[] {
    return [...this.#informers.values()];
  }

  informer<T extends KubernetesObject, Key extends ObjectKey>(kind: Kind<T, Key>): SharedInformer<T, Key> {
    const existing = this.existing(kind);
    if (existing) return existing;
    if (this.#state === "stopped") throw new TerminalError("the cache was stopped");
    const { clock = systemClock } = this.#options;
    const onError = (error: Error): void =>
      callSafely(() => this.#options.onError?.(error, { kind }), warnOf("the cache's onError"));
    const plans = this.#planPartitions(kind, onError);
    const informer = new SharedInformer<T, Key>(kind, plans, { clock, slices: this.#slices, onError });
    this.#informers.set(idOf(kind), informer as unknown as SharedInformer<KubernetesObject>);
    if (this.#state === "started") informer.start();
    return informer;
  }

  existing<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
  ): SharedInformer<T, Key> | undefined {
    return this.#informers.get(idOf(kind)) as unknown as SharedInformer<T, Key> | undefined;
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

  readonly addIndex: ObjectCache["addIndex"] = (kind, name, values) => {
    this.informer(kind).addIndex(name, values);
  };

  keepOnly(kind: Kind, scope: InformerScope): void {
    const existing = this.#scopes.get(idOf(kind));
    if (existing && existing.labels === scope.labels && existing.fields === scope.fields) return;
    if (existing || this.existing(kind))
      throw new TerminalError(
        `${kind.plural} are already cached with another scope: call keepOnly() once, before the kind is watched`,
      );
    this.#scopes.set(idOf(kind), scope);
  }

  allowMissing(kind: Kind): void {
    this.#optional.add(idOf(kind));
  }

  readonly find: ObjectCache["find"] = async (kind, key, options = {}) => {
    if (this.#isLive(kind, options)) return this.#client.find(kind, key, options);
    const informer = this.existing(kind);
    return (informer?.hasSynced ? informer : await this.#syncedInformer(kind, options.signal)).get(key);
  };

  readonly get: ObjectCache["get"] = async (kind, key, options = {}) => {
    if (this.#isLive(kind, options)) return this.#client.get(kind, key, options);
    const object = await this.find(kind, key, options);
    if (object) return object;
    throw new ApiError({
      code: 404,
      reason: "NotFound",
      message: `${kind.plural} "${formatKey(key)}" not found in the cache`,
    });
  };

  readonly list: ObjectCache["list"] = async (kind, options = {}) => {
    if (this.#isLive(kind, options)) return this.#client.list(kind, options);
    const objects = (await this.#syncedInformer(kind, options.signal)).list(options);
    return options.limit === undefined ? objects : objects.slice(0, options.limit);
  };

  wrote(kind: Kind, object: KubernetesObject): void {
    const { keepManagedFields = false } = this.#options;
    for (const view of viewsOf(kind)) {
      const informer = this.existing(view);
      if (informer) informer.wrote(copyAs(view, object, { keepManagedFields }));
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
      ...this.#kindOptionsOf(kind),
    };
  }

  /** Plans the watches of a kind: one for all namespaces, or one for each that the options name. */
  #planPartitions(kind: Kind, onError: (error: CallbackError) => void): PartitionPlan[] {
    const options = this.optionsOf(kind);
    const namespaces = kind.scope === "Namespaced" ? scopesByNamespace(options) : undefined;
    if (!namespaces) return [this.#planPartition(kind, undefined, options, onError)];
    const watchedNamespaces = Object.keys(namespaces).filter((namespace) => namespace !== "");
    return Object.entries(namespaces).map(([namespace, scope]) => {
      const merged = { ...scopeOf(options), ...definedOf(scope) };
      if (namespace !== "") return this.#planPartition(kind, namespace, merged, onError);
      const otherNamespaces = watchedNamespaces.map((name) => `metadata.namespace!=${name}`);
      const fields = [...(merged.fields ? [merged.fields] : []), ...otherNamespaces].join(",");
      return this.#planPartition(kind, undefined, { ...merged, fields }, onError);
    });
  }

  #planPartition(
    kind: Kind,
    namespace: string | undefined,
    { labels, fields, transform }: InformerScope,
    onError: (error: CallbackError) => void,
  ): PartitionPlan {
    const { keepManagedFields = false, watchList = true, clock = systemClock, fieldManager } = this.#options;
    const hasLabels = matchLabels(labels);
    const hasFields = matchFields(fields);
    const startWatch =
      (newest: boolean): StartWatch =>
      (shardSelector, sink, signal) =>
        new Reflector(
          (request) => this.#client.request(request),
          {
            path: resourcePath(kind, { namespace }),
            labelSelector: labels,
            fieldSelector: fields,
            shardSelector: shardSelector || undefined,
            listHeaders: acceptOf(kind, "PartialObjectMetadataList"),
            watchHeaders: acceptOf(kind, "PartialObjectMetadata"),
            watchList,
            newest,
            isOptional: () => this.#optional.has(idOf(kind)),
            clock,
            slices: this.#slices,
          },
          sink,
        ).run(signal);
    return {
      namespace,
      covers: (object) => {
        const shard = this.#shardOf(kind);
        return hasLabels(object.metadata.labels) && hasFields(object) && (!shard || isHeld(shard, object));
      },
      prepare(object) {
        // Lists of built-in kinds omit these two in their items.
        object.apiVersion ??= kind.apiVersion;
        object.kind ??= kind.kind;
        const ownership = readOwnership(object, fieldManager, { withValues: transform !== undefined });
        if (!keepManagedFields) object.metadata = withoutManagedFields(object.metadata);
        const prepared = transform ? applyTransform(object, transform, onError) : freezeShared(object);
        noteOwnership(prepared, ownership);
        return prepared;
      },
      run: (partition, signal) => {
        const shard = this.#shardOf(kind);
        if (!shard) return startWatch(false)("", partition, signal);
        return new ShardedWatch(shard, partition, startWatch(true)).run(signal);
      },
    };
  }

  /** The shard of a kind; undefined if all of it is cached. Settled when the watch starts: builders divide kinds. */
  #shardOf(kind: Kind): Shard | undefined {
    const gate = this.#gate;
    if (!gate?.kinds.isDivided(idOf(kind))) return undefined;
    const { kinds } = gate;
    return { gate, key: kinds.keyOf(kind), rangeOf: (metadata) => kinds.rangeOf(kind, metadata) };
  }

  #isLive(kind: Kind, options: ReadOptions): boolean {
    return options.live ?? this.#kindOptionsOf(kind)?.live ?? this.#options.live ?? false;
  }

  #kindOptionsOf(kind: Kind): KindCacheOptions | undefined {
    return this.#options.kinds?.find(([candidate]) => idOf(candidate) === idOf(kind))?.[1];
  }

  async #syncedInformer<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    signal: AbortSignal | undefined,
  ): Promise<SharedInformer<T, Key>> {
    const existing = this.existing(kind);
    if (existing?.hasSynced) return existing;
    if (this.#state === "new")
      throw new TerminalError(`the cache is not started, so it has no ${kind.plural}; read live, or later`);
    if (!existing) this.#checkMissingInformer(kind);
    const informer = this.informer(kind);
    await informer.synced(signal ?? currentCallContext()?.signal);
    return informer;
  }

  #checkMissingInformer(kind: Kind): void {
    const { missingInformer = "warn", onWarning } = this.#options;
    const what = `a read of ${kind.plural} that nobody watches`;
    if (missingInformer === "fail")
      throw new TerminalError(`${what}: watch the kind, add it to the cache, or read live`);
    if (missingInformer === "warn") {
      const text = `${what} starts to cache all of them: watch the kind, or read live`;
      callSafely(() => onWarning?.(text, { kind }), warnOf("the cache's onWarning"));
    }
  }
}

/** Transforms an object and freezes it. If the transform fails or returns another object, keeps the original. */
function applyTransform(
  object: KubernetesObject,
  transform: NonNullable<InformerScope["transform"]>,
  onError: (error: CallbackError) => void,
): KubernetesObject {
  const { metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const key = formatKey(metadata);
  const identity = { name, namespace, uid, resourceVersion };
  try {
    const result: unknown = synchronous(transform(object));
    if (!hasIdentity(result, identity))
      throw new TypeError(
        `it returned ${show(result)}: the object must keep its name, namespace, uid and resourceVersion`,
      );
    return freezeShared(result);
  } catch (error) {
    onError(new CallbackError("transform", "the transform", error, key));
    // The transform may have changed the object before it failed.
    return freezeShared({ ...object, metadata: { ...metadata, ...definedOf(identity) } });
  }
}

/** Returns true if the metadata of an object has these fields, undefined ones included. */
function hasIdentity(value: unknown, identity: object): value is KubernetesObject {
  const { metadata } = (value ?? {}) as { metadata?: { [field: string]: unknown } };
  return Object.entries(identity).every(([field, expected]) => metadata?.[field] === expected);
}

/** The scope of each namespace to watch; undefined for a single watch of all namespaces. */
function scopesByNamespace({ namespaces }: KindCacheOptions) {
  if (!Array.isArray(namespaces))
    return namespaces as { readonly [namespace: string]: InformerScope } | undefined;
  return Object.fromEntries((namespaces as readonly string[]).map((namespace) => [namespace, {}]));
}

function scopeOf({ labels, fields, transform }: InformerScope): InformerScope {
  return { labels, fields, transform };
}

function definedOf<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Without a namespace nothing would be watched, and a cache that holds nothing never syncs. */
function checkNamespaces(what: string, { namespaces }: KindCacheOptions): void {
  if (namespaces === undefined || Object.keys(namespaces).length > 0) return;
  throw new TerminalError(`the namespaces of ${what} are an empty list: omit it for all namespaces`);
}

/** A kind and its metadata-only view: a write changes the objects of both. */
function viewsOf(kind: Kind): readonly Kind[] {
  return isMetadataOnly(kind) ? [kind] : [kind, metadataOnly(kind)];
}

/**
 * Copies an object, or the part of it that a metadata-only view shows. Managed fields are often more than half of an
 * object: if they won't be kept, the copy shares them.
 */
function copyAs(
  view: Kind,
  { metadata, ...rest }: KubernetesObject,
  { keepManagedFields }: { readonly keepManagedFields: boolean },
): KubernetesObject {
  const { managedFields } = metadata;
  const copy = copyOf(keepManagedFields ? metadata : withoutManagedFields(metadata));
  if (!keepManagedFields && managedFields) copy.managedFields = managedFields;
  if (isMetadataOnly(view))
    return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: copy };
  return { ...copyOf(rest), metadata: copy };
}

/** Leaves the fields out. If they were deleted, V8 would turn the metadata of each object into a hash table. */
function withoutManagedFields(metadata: ObjectMeta): ObjectMeta {
  const { managedFields: _, ...others } = metadata;
  return others;
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

/** The part of a kind that this process caches: the objects whose ranges the gate holds. */
interface Shard {
  readonly gate: ShardGate;
  readonly key: ShardKey;
  readonly rangeOf: (metadata: ObjectMeta) => number;
}

/** Returns true if an object is in a range that this process holds. */
function isHeld({ gate, rangeOf }: Shard, { metadata }: KubernetesObject): boolean {
  return hasRange(gate.held, rangeOf(metadata));
}

/** Lists and watches the objects that a shard selector matches, all for `""`, until the signal is aborted. */
type StartWatch = (shardSelector: string, sink: ReflectorSink, signal: AbortSignal) => Promise<void>;

/**
 * Watches the objects of the ranges that this process holds. It starts again when it gains ranges; when it loses some,
 * it drops their objects and goes on. A server that doesn't know the selector sends every object; those of other ranges
 * are dropped before they are stored.
 */
class ShardedWatch implements ShardLoader {
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
