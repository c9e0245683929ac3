import {
  type Duration,
  type Kind,
  type KubernetesObject,
  type OwnerReference,
  parseApiVersion,
} from "@tsbuilder/apimachinery/meta";
import type { Cache } from "../cache/cache.ts";
import { idOf } from "../cache/kind-id.ts";
import type { Client } from "../client/client.ts";
import { type ObjectKey, formatKey, keyOf, keyText } from "../client/object-key.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import { readDuration } from "../clock/read-duration.ts";
import type { LogFields } from "../log/logger.ts";
import type { ShardGate } from "../shards/shard-gate.ts";
import { defaultBackoff } from "../queue/backoff.ts";
import type { Controller, ControllerSpec } from "./controller-spec.ts";
import type {
  AddedWatchFilter,
  ControllerDefaults,
  ControllerOptions,
  OwnsFilter,
  WatchFilter,
} from "./controller-options.ts";
import { type EventHandler, type Reaction, type RequestMap, handling, mapping } from "./event-reaction.ts";
import type { Predicate } from "./predicate.ts";
import { ObjectShard } from "./object-shard.ts";
import type { Cleanup, Context, Reconciler, Request, Result } from "./reconciler.ts";
import type { Enqueue, Source } from "./source.ts";
import { type ExtensibleController, WatchableController } from "./watchable-controller.ts";
import { onAbort } from "../clock/on-abort.ts";
import type { InformerEvent } from "../cache/informer.ts";
import { syncFailure } from "../cache/sync-failure.ts";
import { synchronous } from "../callbacks/call-safely.ts";
import { CallbackError, stillRuns } from "../callbacks/callback-error.ts";
import type { DeepReadonly } from "../client/deep-readonly.ts";
import { settledWithin } from "../clock/settled-within.ts";
import { hasRange } from "../shards/ranges.ts";
import { isObserved } from "../tracing/channels.ts";
import { ApiError } from "../errors/api-error.ts";
import { isMissingObject } from "../client/live-reader.ts";
import { currentCallContext, runInCallContext } from "../scope/call-context.ts";

/** What a builder needs from the manager. */
export interface ControllerHost {
  readonly client: Client;
  readonly cache: Cache;
  /** What this process works on, if several share the objects. */
  readonly shards?: ShardGate | undefined;
  /** The defaults of all controllers; the options of a builder override them. */
  readonly controllerDefaults: ControllerDefaults;
  /** Adds a controller. Throws a `TerminalError` if the name is already used. */
  addController<R>(spec: BuiltController<R>): ExtensibleController<R>;
}

/** A controller as a builder describes it. The manager adds what all controllers share. */
export type BuiltController<R> = Omit<
  ControllerSpec<R>,
  "log" | "events" | "clock" | "tracing" | "onCallbackError"
> & {
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
  watches<T extends KubernetesObject>(
    kind: Kind<T>,
    map: RequestMap<T, R>,
    filter: WatchFilter<T> = {},
  ): this {
    this.#sources.push(() => {
      this.host.shards?.kinds.keepWhole(idOf(kind));
      return this.#sourceOf(kind, mapping(map, this.#keyOf), filter);
    });
    return this;
  }

  /** Watches a kind of which this process needs only those objects that it reconciles, or whose owners it does. */
  protected watchesOwn<T extends KubernetesObject>(
    kind: Kind<T>,
    map: RequestMap<T, R>,
    filter: WatchFilter<T> = {},
    shard?: ObjectShard<T>,
  ): void {
    this.#sources.push(() => {
      this.host.shards?.kinds.divide(idOf(kind));
      return this.#sourceOf(kind, mapping(map, this.#keyOf), filter, shard);
    });
  }

  /** Calls a function with each event of a kind and the queue, for requests with a priority or a delay of their own. */
  watchesEvents<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: EventHandler<T, R>,
    filter: WatchFilter<T> = {},
  ): this {
    this.#sources.push(() => {
      this.host.shards?.kinds.keepWhole(idOf(kind));
      return this.#sourceOf(kind, handling(handler), filter);
    });
    return this;
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
      throw this.#refusal(`maxConcurrentReconciles is ${maxConcurrentReconciles}: at least 1, and whole`);
    const { retriesPerSecond } = backoff;
    if (retriesPerSecond !== undefined && !(retriesPerSecond > 0))
      throw this.#refusal(`backoff.retriesPerSecond is ${retriesPerSecond}: omit it for no limit`);
    const engine = this.host.addController({
      ...parts,
      name,
      logFields: { controller: name, ...parts.logFields },
      keyOf: this.#keyOf,
      sources: this.#sources.map((source) => source()),
      maxConcurrentReconciles,
      reconcileTimeout: this.#time("reconcileTimeout"),
      stuckAfter: this.#time("stuckAfter") ?? 300_000,
      cacheSyncTimeout: this.#time("cacheSyncTimeout") ?? 120_000,
      // All processes work on their part.
      needLeaderElection: parts.shard ? false : (settings.needLeaderElection ?? true),
      warmup: settings.warmup ?? true,
      backoff: {
        base: this.#positive("backoff.base", backoff.base) ?? defaultBackoff.base,
        max: this.#positive("backoff.max", backoff.max) ?? defaultBackoff.max,
        retriesPerSecond,
        delay: backoff.delay,
      },
    });
    return new WatchableController(engine, {
      keyOf: this.#keyOf,
      sourceOf: (...source) => this.#sourceOf(...source),
    });
  }

  #sourceOf<T extends KubernetesObject>(
    kind: Kind<T>,
    reaction: Reaction<T, R>,
    { predicates = [], cluster = this.host }: AddedWatchFilter<T>,
    shard?: ObjectShard<T>,
  ): Source<R> {
    return kindSource({
      cache: cluster.cache,
      kind,
      predicates: [...this.#predicates, ...predicates],
      reaction,
      resyncPeriod: this.#time("resyncPeriod"),
      shard,
    });
  }

  #time(option: "resyncPeriod" | "reconcileTimeout" | "stuckAfter" | "cacheSyncTimeout"): number | undefined {
    return this.#positive(option, this.#settings[option]);
  }

  #positive(option: string, text: Duration | undefined): number | undefined {
    if (text === undefined) return undefined;
    const milliseconds = readDuration(`${option} of controller "${this.name}"`, text);
    if (milliseconds > 0) return milliseconds;
    throw this.#refusal(`${option} is "${text}": omit it for no timeout`);
  }

  #refusal(what: string): TerminalError {
    return new TerminalError(`controller "${this.name}": ${what}`);
  }

  get #settings(): ControllerOptions {
    const { groupKindConcurrency, ...defaults } = this.host.controllerDefaults;
    const ofKind = this.groupKind === undefined ? undefined : groupKindConcurrency?.[this.groupKind];
    return {
      ...defaults,
      ...(ofKind !== undefined && { maxConcurrentReconciles: ofKind }),
      ...this.options,
    };
  }
}

/** Initial lists and resyncs have low priority: a change made now should not wait behind ten thousand old objects. */
const lowPriority = -100;

/** What a source for a watched kind needs. */
interface KindSourceSpec<T extends KubernetesObject, R> {
  readonly cache: Cache;
  readonly kind: Kind<T>;
  readonly predicates: readonly Predicate<T>[];
  /** What an event causes. */
  readonly reaction: Reaction<T, R>;
  readonly resyncPeriod: number | undefined;
  /** For the kind of a controller whose objects are shared: what this process gains is handled like a first list. */
  readonly shard?: ObjectShard<T> | undefined;
}

/** Turns changes of a kind's objects into requests. */
function kindSource<T extends KubernetesObject, R>(spec: KindSourceSpec<T, R>): Source<R> {
  const { cache, kind, predicates, reaction, resyncPeriod, shard } = spec;
  return {
    name: `kind ${kind.apiVersion} ${kind.kind}`,
    beforeLease: true,
    async start(enqueue, { signal, patience, clock, stuckAfter, report }) {
      const informer = cache.informer(kind);
      const fail = (
        callback: "predicate" | "map" | "handler",
        { metadata }: KubernetesObject,
        error: unknown,
      ): void =>
        report(new CallbackError(callback, `a ${callback} of kind ${kind.kind}`, error, keyText(metadata)));
      const accepts = (event: InformerEvent<DeepReadonly<T>>, predicate: Predicate<T>): boolean => {
        try {
          return synchronous(predicate(event));
        } catch (error) {
          fail("predicate", event.object, error);
          // An unnecessary reconcile does no harm; a missing one may.
          return true;
        }
      };
      const handle = (event: InformerEvent<DeepReadonly<T>>): void | Promise<void> => {
        shard?.note(event);
        if (!predicates.every((predicate) => accepts(event, predicate))) return;
        const usual = isOldNews(event) ? lowPriority : 0;
        const told = isObserved("tsbuilder:enqueue") ? causeOf(kind, event) : undefined;
        const add: Enqueue<R> = (request, { after, priority = usual, cause = told } = {}) =>
          enqueue(request, { after, priority, cause });
        const running = reaction.react(event, add, fail);
        if (!running) return;
        return settledWithin(clock, stuckAfter, running, () =>
          fail(
            reaction.callback,
            event.object,
            new Error(`${stillRuns(stuckAfter)}; its source goes on without it`),
          ),
        );
      };
      const subscription = informer.subscribe(handle, resyncPeriod === undefined ? {} : { resyncPeriod });
      const stopReplays = shard?.gate.onOpen((ranges) =>
        subscription.replay((object) => hasRange(ranges, shard.rangeOfObject(object))),
      );
      onAbort(signal, () => {
        stopReplays?.();
        subscription.unsubscribe();
      });
      try {
        await subscription.synced(patience);
      } catch (error) {
        if (signal.aborted) return;
        throw syncFailure(informer, error);
      }
    },
  };
}

function causeOf<T extends KubernetesObject>({ kind }: Kind, event: InformerEvent<T>): string {
  return `${event.type} of ${kind} ${keyText(event.object.metadata)}`;
}

function isOldNews<T extends KubernetesObject>(event: InformerEvent<T>): boolean {
  switch (event.type) {
    case "add":
      return event.isInInitialList;
    case "update":
      return event.isResync;
    case "delete":
      return false;
  }
}

/**
 * Builds the controller of a kind. Its requests are keys of objects of that kind. Nothing happens before `complete`.
 */
export class ControllerBuilder<T extends KubernetesObject> extends RequestControllerBuilder<Request> {
  readonly #kind: Kind<T>;
  readonly #finalizers: { readonly name: string; readonly cleanup: Cleanup<T> }[] = [];
  readonly #shard: ObjectShard<T> | undefined;
  #whileDeleting = false;

  constructor(host: ControllerHost, kind: Kind<T>, filter?: WatchFilter<T>) {
    super(host, formatKey, kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`);
    this.#kind = kind;
    this.#shard = host.shards && new ObjectShard(host.shards, host.cache, kind);
    this.watchesOwn(kind, (object) => [keyOf(object)], filter, this.#shard);
  }

  /**
   * Watches a kind and reconciles the owner that controls the changed object. `metadataOnly(Kind)` caches only
   * metadata.
   */
  owns<Owned extends KubernetesObject>(
    kind: Kind<Owned>,
    { everyOwner = false, ...filter }: OwnsFilter<Owned> = {},
  ): this {
    const ownersOf: RequestMap<Owned, Request> = ({ metadata: { namespace, ownerReferences = [] } }) =>
      ownerReferences
        .filter((reference) => (everyOwner || reference.controller === true) && this.#isOfKind(reference))
        .map(({ name }) => (this.#kind.scope === "Namespaced" ? { namespace, name } : { name }));
    // Hashes of uids don't say whose an object is; namespaces do.
    const keys = [this.#kind, kind].map((one) => this.host.shards?.kinds.keyOf(one));
    if (keys.some((key) => key !== "namespace")) return this.watches(kind, ownersOf, filter);
    this.watchesOwn(kind, ownersOf, filter);
    return this;
  }

  /**
   * Adds a finalizer to every object before its first reconcile. When an object is deleted, `cleanup` is called instead
   * of `reconcile`; the finalizer is removed once it succeeds. Several cleanups run in the order in which they were
   * added.
   */
  finalizer(name: string, cleanup: Cleanup<T>): this {
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

  override complete(reconciler: Reconciler): Controller {
    const { kind, group } = this.#kind;
    this.name ??= kind.toLowerCase();
    return this.add({
      reconciler: deletionAware(
        this.host.client,
        { kind: this.#kind, finalizers: this.#finalizers, whileDeleting: this.#whileDeleting },
        reconciler,
      ),
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

/** What a controller does with objects that are being deleted. */
interface DeletionPolicy<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  /** In the order in which they are called. */
  readonly finalizers: readonly { readonly name: string; readonly cleanup: Cleanup<T> }[];
  readonly whileDeleting: boolean;
}

/**
 * Handles deletion before `reconcile`: an object gets its finalizers before its first reconcile. While it is being
 * deleted, the cleanups are called in order instead, and each finalizer is removed once its cleanup succeeds.
 */
export function deletionAware<T extends KubernetesObject>(
  client: Client,
  policy: DeletionPolicy<T>,
  reconciler: Reconciler,
): Reconciler {
  const { kind, finalizers, whileDeleting } = policy;
  const names = finalizers.map(({ name }) => name);
  const finalized = new FinalizedObjects(client, kind, names);

  /**
   * A write to an object that no longer exists is not a failure: the cache was stale, and the deletion enqueues a
   * request.
   */
  async function reconcile(request: Request, context: Context): Promise<Result> {
    try {
      return await reconcileOrCleanUp(request, context);
    } catch (error) {
      if (!isGone(error, kind, request)) throw error;
      context.log.debug("Object was deleted meanwhile", { error });
    }
  }

  async function reconcileOrCleanUp(request: Request, context: Context): Promise<Result> {
    const object = await client.find(kind, request);
    if (!object) finalized.forget(request);
    else if (finalized.isGone(object)) return;
    else if (object.metadata.deletionTimestamp !== undefined) {
      const wait = await cleanUp(object, context);
      if (wait || !whileDeleting) return wait;
    } else if (finalizers.length > 0) {
      await addFinalizers(object, context);
      return await finalized.writing(object, () => reconciler.reconcile(request, context));
    }
    return await reconciler.reconcile(request, context);
  }

  async function addFinalizers(object: DeepReadonly<T>, { log }: Context): Promise<void> {
    const present = object.metadata.finalizers ?? [];
    const missing = names.filter((name) => !present.includes(name));
    if (missing.length === 0) return;
    await client.patch(kind, object, ({ metadata }) => {
      metadata.finalizers = [...present, ...missing];
    });
    finalized.noteThere(object);
    log.debug("Added finalizers", { finalizers: missing });
  }

  /** Returns the result of a cleanup that has to wait; undefined if all finalizers of this controller are removed. */
  async function cleanUp(object: DeepReadonly<T>, context: Context): Promise<Result> {
    let current = object;
    const held = names.filter((name) => object.metadata.finalizers?.includes(name));
    if (held.length > 0 && !(await finalized.has(object, held))) return;
    for (const { name, cleanup } of finalizers) {
      if (!current.metadata.finalizers?.includes(name)) continue;
      const result = await cleanup(current, context);
      if (result?.requeueAfter !== undefined) return result;
      const left = await removeFinalizer(current, name);
      context.log.info("Cleaned up and removed finalizer", { finalizer: name });
      if (!left) return;
      current = left;
    }
  }

  /**
   * The patch includes the resourceVersion that was read, so that finalizers of other controllers aren't lost. If a
   * cleanup changed the object, it is read again first.
   */
  async function removeFinalizer(
    object: DeepReadonly<T>,
    name: string,
  ): Promise<DeepReadonly<T> | undefined> {
    try {
      const latest = await client.find(kind, keyOf(object));
      if (!latest || latest.metadata.uid !== object.metadata.uid) return undefined;
      const left = await client.patch(kind, latest, ({ metadata }) => {
        metadata.finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== name);
      });
      if (!left.metadata.finalizers?.length) finalized.noteGone(left);
      return left;
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  }

  return { reconcile };
}

/**
 * What this process knows of the objects that have its finalizers. The view that a process starts with, or takes the
 * lease with, may be older than a finalizer that another process removed: nobody would clean up what is made for such an
 * object, and its cleanup might delete what belongs to the next object of that name.
 */
class FinalizedObjects<T extends KubernetesObject> {
  readonly #client: Client;
  readonly #kind: Kind<T>;
  readonly #finalizers: readonly string[];
  /** By key. While this process leads, only it removes the finalizers, so each object is read once. */
  readonly #known = new Map<string, { readonly uid: string | undefined; readonly isGone: boolean }>();

  constructor(client: Client, kind: Kind<T>, finalizers: readonly string[]) {
    this.#client = client;
    this.#kind = kind;
    this.#finalizers = finalizers;
  }

  /** The server has the object, with the finalizers. */
  noteThere(object: DeepReadonly<T>): void {
    this.#known.set(formatKey(keyOf(object)), { uid: object.metadata.uid, isGone: false });
  }

  /**
   * Its last finalizer was removed. The server answers that request with the previous version, so the cache doesn't know
   * that the object is gone until the watch reports it. Cleanup must not run again in the meantime.
   */
  noteGone(object: DeepReadonly<T>): void {
    this.#known.set(formatKey(keyOf(object)), { uid: object.metadata.uid, isGone: true });
  }

  forget(key: ObjectKey): void {
    this.#known.delete(formatKey(key));
  }

  isGone(object: DeepReadonly<T>): boolean {
    return this.#of(object)?.isGone ?? false;
  }

  /** Runs a function whose first write reads the object from the server, unless it is known to be there. */
  writing<R>(object: DeepReadonly<T>, run: () => R): R {
    if (this.#of(object)) return run();
    let check: Promise<void> | undefined;
    const beforeWrite = (): Promise<void> => (check ??= this.#assertThere(object));
    return runInCallContext({ ...currentCallContext(), beforeWrite }, run);
  }

  /** Whether the server has the object, with finalizers. */
  async has(object: DeepReadonly<T>, finalizers = this.#finalizers): Promise<boolean> {
    if (this.#of(object)) return true;
    const { namespace, name = "" } = object.metadata;
    // A list of one: operators may list what they watch, and not all of them may get it.
    const fields = { "metadata.name": name };
    const [found] = await this.#client.list(this.#kind, { namespace, fields, live: true });
    const { uid, finalizers: present = [] } = found?.metadata ?? {};
    const isThere = uid === object.metadata.uid && finalizers.every((name) => present.includes(name));
    if (isThere) this.noteThere(object);
    return isThere;
  }

  async #assertThere(object: DeepReadonly<T>): Promise<void> {
    if (await this.has(object)) return;
    const { kind, plural: resource, group } = this.#kind;
    const { name = "" } = object.metadata;
    const message = `${kind} ${formatKey(keyOf(object))} was deleted, or lost its finalizers: nothing is written for it`;
    throw new ApiError({ code: 404, reason: "NotFound", message, details: { name, kind: resource, group } });
  }

  #of(object: DeepReadonly<T>) {
    const known = this.#known.get(formatKey(keyOf(object)));
    return known?.uid === object.metadata.uid ? known : undefined;
  }
}

function isGone(error: unknown, { plural, group }: Kind, { name }: Request): boolean {
  if (!(error instanceof ApiError) || !error.isNotFound) return false;
  const { details } = error.body;
  return details?.name === name && details.kind === plural && (details.group ?? "") === group;
}
