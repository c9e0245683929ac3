import type {
  DurationLike,
  Kind,
  KubernetesObject,
  OwnerReference,
  Condition,
} from "@tsbuilder/apimachinery/meta";
import { parseApiVersion, findCondition, removeCondition, setCondition } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ObjectCache } from "../cache/cache.ts";
import { idOf } from "../client/metadata-only.ts";
import type { Client, NamespacedName, ObjectKey, Stored, DesiredStatus } from "../client/client.ts";
import { formatKey, keyOf } from "../client/client.ts";
import {
  deleteTracked,
  shareTrackingCleanup,
  trackingFinalizer,
  trackingOwnerOf,
} from "../client/tracked-children.ts";
import { TerminalError, ApiError } from "../errors/api-error.ts";
import { readDuration } from "../clock/waits.ts";
import type { LogFields } from "../scope/scope.ts";
import type { ShardGate } from "../shards/shard-gate.ts";
import { defaultBackoff } from "../queue/work-queue.ts";
import type {
  AddedWatchFilter,
  Controller,
  ControllerDefaults,
  ControllerOptions,
  ControllerSpec,
  ExtensibleController,
  OwnsFilter,
  WatchFilter,
} from "./controller-spec.ts";
import { deletionAware } from "./deletion-aware.ts";
import type { EventHandler, Reaction, RequestMap } from "./kind-source.ts";
import { handling, kindSource, mapping } from "./kind-source.ts";
import { ObjectShard } from "./object-shard.ts";
import type { Predicate } from "./predicate.ts";
import type { Cleanup, Reconciler, Context } from "./reconciler.ts";
import type { Source } from "./source.ts";
import { isMissingObject } from "../client/live-reader.ts";

/** The parts of the manager that a builder needs. */
export interface ControllerHost {
  readonly client: Client;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  /** The objects that this process works on, if several processes share them. */
  readonly shards?: ShardGate | undefined;
  /** The defaults of all controllers; the options of a builder override them. */
  readonly controllerDefaults: ControllerDefaults;
  /** Adds a controller. Throws a `TerminalError` if the name is already used. */
  addController<R>(spec: BuiltController<R>): ExtensibleController<R>;
  /** Called with the kind of each controller that has one. */
  reconciles?(kind: Kind): void;
}

/** A controller as a builder describes it. The manager adds what all controllers share. */
export type BuiltController<R> = Omit<ControllerSpec<R>, "log" | "events" | "clock" | "onCallbackError"> & {
  /** Fields that every log line of the controller has. */
  readonly logFields: LogFields;
  readonly needLeaderElection: boolean;
  readonly warmup: boolean;
};

/** Builds a controller whose requests can be of any type. Nothing happens before `complete`. */
export class RequestControllerBuilder<R> {
  protected readonly host: ControllerHost;
  protected name: string | undefined;
  protected options: ControllerOptions = {};
  /** The group and kind as controller-runtime writes them: `ReplicaSet.apps`. */
  protected readonly groupKind: string | undefined;
  readonly #keyOf: (request: R) => string;
  readonly #predicates: Predicate[] = [];
  readonly #sources: (() => Source<R>)[] = [];

  constructor(host: ControllerHost, keyOf: (request: R) => string, groupKind?: string) {
    this.host = host;
    this.#keyOf = keyOf;
    this.groupKind = groupKind;
  }

  /** The controller's name in logs and metrics, unique within the manager. Default: the kind in lower case. */
  named(name: string): this {
    this.name = name;
    return this;
  }

  /**
   * Turns events of a kind into requests: `map` is called with the object and, after an update, also with the old one.
   */
  watches<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    map: RequestMap<T, R, Key>,
    filter: WatchFilter<T, Key> = {},
  ): this {
    return this.#watchAll(kind, mapping(map, this.#keyOf), filter);
  }

  /** Watches a kind of which this process needs only the objects that it reconciles, or whose owners it reconciles. */
  protected watchesOwn<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    map: RequestMap<T, R, Key>,
    filter: WatchFilter<T, Key> = {},
    shard?: ObjectShard<T>,
  ): void {
    this.#sources.push(() => {
      this.host.shards?.kinds.divide(idOf(kind));
      return this.#sourceOf(kind, mapping(map, this.#keyOf), filter, shard);
    });
  }

  /** Calls a function with each event of a kind and the queue, for requests with a priority or a delay of their own. */
  watchesEvents<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    handler: EventHandler<T, R, Key>,
    filter: WatchFilter<T, Key> = {},
  ): this {
    return this.#watchAll(kind, handling(handler), filter);
  }

  #watchAll<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    reaction: Reaction<T, Key, R>,
    filter: WatchFilter<T, Key>,
  ): this {
    this.#sources.push(() => {
      this.host.shards?.kinds.keepWhole(idOf(kind));
      return this.#sourceOf(kind, reaction, filter);
    });
    return this;
  }

  /** Watches a kind for events that no predicate of the user may reject. */
  protected watchesAlways<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    map: RequestMap<T, R, Key>,
    predicate: Predicate<T, Key>,
  ): void {
    const { cache } = this.host;
    const reaction = mapping(map, this.#keyOf);
    this.#sources.push(() =>
      kindSource({ cache, kind, predicates: [predicate], reaction, resyncPeriod: undefined }),
    );
  }

  /** Adds requests from another source. Predicates don't apply to them. */
  watchesSource(source: Source<R>): this {
    this.#sources.push(() => source);
    return this;
  }

  /** Filters the events of all watched kinds. An event must pass every predicate. */
  withPredicates(...predicates: Predicate[]): this {
    this.#predicates.push(...predicates);
    return this;
  }

  /** Sets options. Each option can be overridden by a later call. */
  withOptions(options: ControllerOptions): this {
    this.options = { ...this.options, ...options };
    return this;
  }

  /** Adds the controller to the manager. Throws a `TerminalError` if the name is already used. */
  complete(reconciler: Reconciler<R>): Controller<R> {
    if (this.name === undefined)
      throw new TerminalError("a controller without a kind needs a name: call named()");
    return this.add({ reconciler, describe: (request) => ({ request }), logFields: {} });
  }

  protected add(
    parts: Pick<BuiltController<R>, "reconciler" | "describe" | "logFields" | "shard">,
  ): Controller<R> {
    const name = this.name ?? "";
    if (this.#sources.length === 0)
      throw new TerminalError(`controller "${name}" watches nothing: call watches() or watchesSource()`);
    const { backoff = {}, maxConcurrentReconciles = 1, ...settings } = this.#settings;
    if (!Number.isInteger(maxConcurrentReconciles) || maxConcurrentReconciles < 1)
      throw this.#optionError(`maxConcurrentReconciles is ${maxConcurrentReconciles}: at least 1, and whole`);
    const { retriesPerSecond } = backoff;
    if (retriesPerSecond !== undefined && !(retriesPerSecond > 0))
      throw this.#optionError(`backoff.retriesPerSecond is ${retriesPerSecond}: omit it for no limit`);
    const engine = this.host.addController({
      ...parts,
      name,
      logFields: { controller: name, ...parts.logFields },
      keyOf: this.#keyOf,
      sources: this.#sources.map((source) => source()),
      maxConcurrentReconciles,
      reconcileTimeout: this.#readDurationOption("reconcileTimeout"),
      stuckAfter: this.#readDurationOption("stuckAfter") ?? 300_000,
      cacheSyncTimeout: this.#readDurationOption("cacheSyncTimeout") ?? 120_000,
      // With sharding, every process reconciles the objects of its shard.
      needLeaderElection: parts.shard ? false : (settings.needLeaderElection ?? true),
      warmup: settings.warmup ?? true,
      backoff: {
        base: this.#readPositive("backoff.base", backoff.base) ?? defaultBackoff.base,
        max: this.#readPositive("backoff.max", backoff.max) ?? defaultBackoff.max,
        retriesPerSecond,
        delay: backoff.delay,
      },
    });
    return {
      name: engine.name,
      get depth() {
        return engine.depth;
      },
      get active() {
        return engine.active;
      },
      watch: (kind, map, filter = {}) =>
        engine.addSource(this.#sourceOf(kind, mapping(map, this.#keyOf), filter)),
      watchEvents: (kind, handler, filter = {}) =>
        engine.addSource(this.#sourceOf(kind, handling(handler), filter)),
      watchSource: (source) => engine.addSource(source),
    };
  }

  #sourceOf<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    reaction: Reaction<T, Key, R>,
    { predicates = [], cluster = this.host, optional = false }: AddedWatchFilter<T, Key>,
    shard?: ObjectShard<T>,
  ): Source<R> {
    if (optional) cluster.cache.allowMissing(kind);
    return kindSource({
      cache: cluster.cache,
      kind,
      predicates: [...this.#predicates, ...predicates],
      reaction,
      resyncPeriod: this.#readDurationOption("resyncPeriod"),
      shard,
    });
  }

  #readDurationOption(option: "resyncPeriod" | "reconcileTimeout" | "stuckAfter" | "cacheSyncTimeout") {
    return this.#readPositive(option, this.#settings[option]);
  }

  /** Parses a duration that must be positive; undefined if the option is omitted. */
  #readPositive(option: string, duration: DurationLike | undefined): number | undefined {
    if (duration === undefined) return undefined;
    const milliseconds = readDuration(`${option} of controller "${this.name}"`, duration);
    if (milliseconds > 0) return milliseconds;
    throw this.#optionError(`${option} is ${JSON.stringify(duration)}: omit it for no timeout`);
  }

  #optionError(what: string): TerminalError {
    return new TerminalError(`controller "${this.name}": ${what}`);
  }

  /** The options of this builder, with the manager's defaults for those that it omits. */
  get #settings(): ControllerOptions {
    const { groupKindConcurrency, ...defaults } = this.host.controllerDefaults;
    const kindConcurrency = this.groupKind === undefined ? undefined : groupKindConcurrency?.[this.groupKind];
    return {
      ...defaults,
      ...(kindConcurrency !== undefined && { maxConcurrentReconciles: kindConcurrency }),
      ...this.options,
    };
  }
}

/**
 * Builds the controller of a kind. Its requests are keys of objects of that kind. Nothing happens before `complete`.
 */
export class ControllerBuilder<
  T extends KubernetesObject,
  Key extends ObjectKey = NamespacedName,
> extends RequestControllerBuilder<Key> {
  readonly #kind: Kind<T, Key>;
  readonly #finalizers: { readonly name: string; readonly cleanup: Cleanup<T, Key> }[] = [];
  readonly #shard: ObjectShard<T> | undefined;
  /** The kinds of which objects are tracked by label. */
  readonly #tracked: Kind[] = [];
  #whileDeleting = false;
  #isPausable = false;

  constructor(host: ControllerHost, kind: Kind<T, Key>, filter?: WatchFilter<T, Key>) {
    super(host, formatKey, kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`);
    this.#kind = kind;
    this.#shard = host.shards && new ObjectShard(host.shards, host.cache, kind);
    this.watchesOwn(kind, (object) => [keyOf(object) as Key], filter, this.#shard);
  }

  /** Watches a kind, and reconciles the owner that controls the changed object. `metadataOnly(Kind)` saves memory. */
  owns<Owned extends KubernetesObject, OwnedKey extends ObjectKey>(
    kind: Kind<Owned, OwnedKey>,
    { everyOwner = false, byLabel = false, ...filter }: OwnsFilter<Owned, OwnedKey> = {},
  ): this {
    const ownersOf = (object: Stored<Owned, OwnedKey>): Key[] => {
      const tracking = byLabel ? trackingOwnerOf(this.#kind, object) : undefined;
      if (tracking) return [tracking as Key];
      const { namespace, ownerReferences = [] } = object.metadata;
      return ownerReferences
        .filter((reference) => (everyOwner || reference.controller === true) && this.#isOfKind(reference))
        .map(({ name }) => (this.#kind.scope === "Namespaced" ? { namespace, name } : { name }) as Key);
    };
    // The references of a cluster-scoped owner reach everywhere.
    if (byLabel && this.#kind.scope === "Namespaced") this.#tracked.push(kind);
    // Shared by uid, an object and its owner may belong to different processes; shared by namespace, they don't.
    const keys = [this.#kind, kind].map((watched) => this.host.shards?.kinds.keyOf(watched));
    if (byLabel || keys.some((key) => key !== "namespace")) return this.watches(kind, ownersOf, filter);
    this.watchesOwn(kind, ownersOf, filter);
    return this;
  }

  /**
   * Adds a finalizer to every object before its first reconcile. When an object is deleted, `cleanup` is called instead
   * of `reconcile`, and the finalizer is removed once it succeeds. Several cleanups run in the order of the calls.
   */
  finalizer(name: string, cleanup: Cleanup<T, Key>): this {
    if (!/^[^/]+\/[^/]+$/.test(name))
      throw new TerminalError(`finalizer "${name}" needs a domain, as in "apps.example.com/${name}"`);
    this.#finalizers.push({ name, cleanup });
    return this;
  }

  /**
   * Also reconciles objects that are being deleted, after their cleanups. Without it they never reach `reconcile`, so
   * that children aren't recreated while the garbage collector waits for them to disappear.
   */
  whileDeleting(): this {
    this.#whileDeleting = true;
    return this;
  }

  /**
   * Skips objects with the annotation `<group>/paused: "true"`, also when they are being deleted, and gives them the
   * condition `Paused`. Throws a `TerminalError` for kinds of the core group.
   */
  pausable(): this {
    const annotation = pauseAnnotation(this.#kind);
    if (!this.#isPausable)
      this.watchesAlways(this.#kind, (object) => [keyOf(object) as Key], pauseChanged(annotation));
    this.#isPausable = true;
    return this;
  }

  override complete(reconciler: Reconciler<Key>): Controller<Key> {
    const { kind, group } = this.#kind;
    this.name ??= kind.toLowerCase();
    const { client, cache } = this.host;
    // After the user's own cleanups, which may delete some of the children in an order.
    if (this.#tracked.length > 0) {
      const finalizer = trackingFinalizer(this.#kind);
      const cleanup = shareTrackingCleanup(cache, finalizer, (owner) => {
        const kinds = this.#tracked.map((kind) => ({ kind, namespaces: cache.informer(kind).namespaces }));
        return deleteTracked(client, kinds, owner);
      });
      this.finalizer(finalizer, cleanup);
    }
    const guarded = deletionAware(
      client,
      { kind: this.#kind, finalizers: this.#finalizers, whileDeleting: this.#whileDeleting },
      reconciler,
    );
    this.host.reconciles?.(this.#kind);
    return this.add({
      reconciler: this.#isPausable ? pausable(this.host, this.#kind, guarded) : guarded,
      shard: this.#shard,
      describe: ({ namespace, name }) => ({ [kind]: { name, namespace }, namespace, name }),
      logFields: { controllerGroup: group, controllerKind: kind },
    });
  }

  /** Compares group and kind only: the version in an owner reference may differ from the controller's. */
  #isOfKind(reference: OwnerReference): boolean {
    return (
      reference.kind === this.#kind.kind && parseApiVersion(reference.apiVersion).group === this.#kind.group
    );
  }
}

/** The type of the condition that a paused object has, and the reason by which we know our own. */
const conditionType = "Paused";
const ourReason = "Annotated";

/**
 * Skips objects that have the pause annotation: neither `reconcile` nor the cleanup of a finalizer runs for them, and
 * they have the condition `Paused`, as long as the annotation is `"true"`.
 */
export function pausable<T extends KubernetesObject, Key extends ObjectKey>(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  kind: Kind<T, Key>,
  reconciler: Reconciler<Key>,
): Reconciler<Key> {
  const annotation = pauseAnnotation(kind);

  async function setConditions(object: Stored<T, Key>, conditions: Condition[], { log }: Context) {
    const { status } = object as { readonly status?: object };
    try {
      await client.patchStatus(kind, object, { ...status, conditions } as DesiredStatus<T>);
    } catch (error) {
      // The object may be gone by now: nothing is left to be paused.
      if (isMissingObject(error)) return;
      // A kind whose status has no conditions, or that has none, is paused all the same.
      if (!(error instanceof ApiError && (error.isInvalid || error.isNotFound))) throw error;
      log.warn("The condition Paused can't be set", { error });
    }
  }

  return {
    async reconcile(request, context) {
      const object = await client.find(kind, request);
      if (!object) return await reconciler.reconcile(request, context);
      const { conditions } =
        (object as { readonly status?: { readonly conditions?: Condition[] } }).status ?? {};
      if (!isPaused(object, annotation)) {
        if (findCondition(conditions, conditionType)?.reason === ourReason)
          await setConditions(object, removeCondition(conditions, conditionType), context);
        return await reconciler.reconcile(request, context);
      }
      const paused = {
        type: conditionType,
        status: "True",
        reason: ourReason,
        message: `the annotation ${annotation} stops reconciles and cleanups`,
        observedGeneration: object.metadata.generation,
      } as const;
      await setConditions(object, setCondition(conditions, paused, clock), context);
      context.log.debug("Object is paused", { annotation });
    },
  };
}

/** Returns the name of the annotation that pauses objects of a kind. */
function pauseAnnotation({ group, kind }: Kind): string {
  if (group !== "") return `${group}/paused`;
  throw new TerminalError(`the core group has no prefix for an annotation that pauses a ${kind}`);
}

/** Accepts updates that pause or resume an object: they count, whatever a controller's own predicates accept. */
function pauseChanged(annotation: string): Predicate {
  return (event) =>
    event.type === "update" && isPaused(event.oldObject, annotation) !== isPaused(event.object, annotation);
}

function isPaused({ metadata }: KubernetesObject, annotation: string): boolean {
  return metadata.annotations?.[annotation] === "true";
}
