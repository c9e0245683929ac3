// The cache: informers that keep the objects of watched kinds, and reads from them. Begin here with its contract; then
// `create-cache.ts` makes it, `shared-informer.ts` is the informer of a kind, and `partition.ts` merges one watch with
// our own writes. `cached-client.ts` is the client that controllers use: it reads from the cache and writes to the
// server.

import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ListOptions, ObjectKey, Reader, Stored } from "../client/client.ts";
import { ApiError } from "../errors/api-error.ts";

/**
 * The informers of a process, and reads from them. An informer is created by the first subscription or read of its kind
 * and shared by all. No request is sent before `start`.
 */
export interface ObjectCache extends Reader {
  /** The informer of a kind, created if necessary. Kinds of `metadataOnly` have their own. */
  informer<T extends KubernetesObject, Key extends ObjectKey>(kind: Kind<T, Key>): Informer<T, Key>;

  /** The informer of a kind if it exists. */
  existing<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
  ): Informer<T, Key> | undefined;

  /** All informers, for metrics and health. */
  readonly informers: readonly Informer[];

  /** Starts the existing informers and, from then on, new ones. */
  start(): void;

  /** Resolves when all current informers have synced. */
  synced(signal?: AbortSignal): Promise<void>;

  /** Stops an informer and drops its objects; its subscriptions end. For a CRD that is deleted at run time. */
  remove(kind: Kind): void;

  /** Stops all informers and closes their connections. */
  stop(): Promise<void>;

  /** Adds an index: see `Informer.addIndex`. */
  addIndex<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    name: string,
    values: (object: Stored<T, Key>) => readonly string[],
  ): void;

  /**
   * Caches only a part of a kind, selected by labels or fields; call it before the kind is watched. Reads of other objects
   * find nothing, or are made live. Throws a `TerminalError` if the whole kind is already cached.
   */
  keepOnly(kind: Kind, scope: InformerScope): void;

  /**
   * Allows that the cluster doesn't serve a kind: it has no objects then, and is looked for at least twice a minute. See
   * `owns` with `optional`.
   */
  allowMissing(kind: Kind): void;

  /** Adds the result of a write of this process, so that reads return it before the watch delivers it. */
  wrote(kind: Kind, object: KubernetesObject): void;

  /** Records that this process deleted an object. */
  wroteDeletion(kind: Kind, key: ObjectKey, uid: string | undefined): void;
}

/**
 * Keeps the objects of one kind as they are on the server, and notifies subscribers of changes. All controllers of a
 * manager share one informer per kind. Objects are frozen.
 */
export interface Informer<T extends KubernetesObject = KubernetesObject, Key extends ObjectKey = ObjectKey> {
  readonly kind: Kind<T, Key>;

  /** True once the first list is in the store. Subscriptions have their own `hasSynced`. */
  readonly hasSynced: boolean;

  /**
   * Resolves when the first list is in the store; rejects with the signal's reason, or when the informer is removed.
   */
  synced(signal?: AbortSignal): Promise<void>;

  /**
   * Calls the handler for every change, one at a time, in the server's order: a promise that the handler returns is
   * awaited before its next event. Existing objects come first, as `add` with `isInInitialList`. An exception in the
   * handler is reported and doesn't end the informer.
   */
  subscribe(handler: InformerHandler<Stored<T, Key>>, options?: SubscribeOptions): Subscription;

  /** The namespaces that it watches; undefined stands for all that aren't listed. */
  readonly namespaces: readonly (string | undefined)[];

  /** Returns true if the informer watches this namespace; `get` throws for any other. */
  covers(namespace: string | undefined): boolean;

  /** Reads an object, including writes of this process. */
  get(key: ObjectKey): Stored<T, Key> | undefined;

  /** Reads objects, including writes of this process; `fields` and `owner` use indexes. */
  list(selection?: Omit<ListOptions, "signal" | "live" | "limit">): Stored<T, Key>[];

  /**
   * Adds an index: `values` returns the values under which `list({ fields: { [name]: value } })` finds an object. May
   * be called at any time. Throws if the index exists.
   */
  addIndex(name: string, values: (object: Stored<T, Key>) => readonly string[]): void;

  readonly stats: InformerStats;
}

/** A change. Objects are frozen and shared by all subscribers. */
export type InformerEvent<T extends KubernetesObject = KubernetesObject> =
  | {
      readonly type: "add";
      readonly object: T;
      readonly isInInitialList: boolean;
      /** True if this process created the object or wrote its current version. */
      readonly isOwnWrite: boolean;
    }
  | {
      readonly type: "update";
      readonly oldObject: T;
      readonly object: T;
      /**
       * True if nothing changed: the object is delivered again after the resync period, or because a write of this
       * process, which reads showed, has come to nothing.
       */
      readonly isResync: boolean;
      /**
       * True if this process wrote exactly this version. Changes by others have events of their own, so a subscriber
       * may ignore its own writes without missing anything.
       */
      readonly isOwnWrite: boolean;
    }
  | {
      readonly type: "delete";
      readonly object: T;
      /** True if the deletion itself was missed, so that `object` may be older than the deleted object. */
      readonly isStateUnknown: boolean;
    };

/** Handles a change. A returned promise is awaited before the next event. */
export type InformerHandler<T extends KubernetesObject = KubernetesObject> = (
  event: InformerEvent<T>,
) => void | Promise<void>;

/** Options of a subscription. */
export interface SubscribeOptions {
  /** Deliver every object again as an update after this many milliseconds (±10 %), at least 1000. Default: never. */
  readonly resyncPeriod?: number | undefined;
}

/** The subscription of one handler to an informer. */
export interface Subscription {
  /** True once the handler has processed every object of the first list. */
  readonly hasSynced: boolean;

  /** Resolves when `hasSynced` becomes true; rejects with the signal's reason, or when the subscription ends before. */
  synced(signal?: AbortSignal): Promise<void>;

  /** Delivers the objects that match once more, as at first. */
  replay(matches: (object: Stored<KubernetesObject, ObjectKey>) => boolean): void;

  /** Ends the calls; a running one is not awaited. */
  unsubscribe(): void;
}

/** The state of an informer, for metrics and health checks. */
export interface InformerStats {
  readonly objects: number;
  /** The size of the objects' JSON as it was received, before transforms. */
  readonly bytes: number;
  /** Milliseconds since anything came from the server, including bookmarks; undefined before the first answer. */
  readonly lastEventAge: number | undefined;
  /** Full lists after the first one. */
  readonly relists: number;
  readonly watchErrors: number;
  /** The last error until the next success: an `ApiError` with `isForbidden` means that RBAC rules are missing. */
  readonly lastError: Error | undefined;
}

/**
 * Creates an error that says which kind could not be synced and why: usually its CRD or an RBAC permission is missing.
 */
export function syncFailure({ kind, stats, hasSynced }: Informer, cause: unknown): Error {
  const { lastError } = stats;
  if (hasSynced)
    return new Error(`a map function or handler of ${kind.kind} objects has not ended in time`, { cause });
  const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
  let hint = lastError === undefined ? "" : `: ${lastError.message}`;
  if (lastError instanceof ApiError && lastError.isForbidden)
    hint += `. The operator needs the verbs get, list and watch on ${resource}`;
  if (lastError instanceof ApiError && lastError.isNotFound)
    hint += `. Is the CustomResourceDefinition of ${resource} installed?`;
  return new Error(`the ${kind.kind} objects (${kind.apiVersion}) could not be listed in time${hint}`, {
    cause: lastError ?? cause,
  });
}

/** Selects the objects that an informer keeps. */
export interface InformerScope {
  /** Only objects that match this label selector. */
  readonly labels?: string | undefined;
  /** Only objects that match this field selector. */
  readonly fields?: string | undefined;
  /** Changes an object before it is stored; must be idempotent. */
  readonly transform?: ((object: KubernetesObject) => KubernetesObject) | undefined;
}

/** Options of one kind. They override the options for all kinds. */
export interface KindCacheOptions extends InformerScope {
  /**
   * The namespaces to watch, each with its own scope or `{}`; `""` means all others. There is one watch per namespace,
   * so permissions in these namespaces are sufficient.
   */
  readonly namespaces?: readonly string[] | { readonly [namespace: string]: InformerScope } | undefined;
  /** Read this kind from the server, never from the cache. */
  readonly live?: boolean | undefined;
}

/** Options of a cache. */
export interface CacheOptions extends KindCacheOptions {
  /** Options by kind. */
  readonly kinds?: readonly (readonly [Kind, KindCacheOptions])[] | undefined;
  /** Keep `metadata.managedFields`. Default: false: they are a third of a pod, and controllers don't read them. */
  readonly keepManagedFields?: boolean | undefined;
  /** The field manager whose earlier applies are recognized, so that a cold start sends none that changes nothing. */
  readonly fieldManager?: string | undefined;
  /**
   * Reads whose kind has no informer: `create` makes one and waits for it, `warn` also logs a warning, `fail` throws a
   * `TerminalError`. Default: `warn`, because caching all pods of a cluster by accident takes a lot of memory.
   */
  readonly missingInformer?: "create" | "warn" | "fail" | undefined;
  /** Stream the first list through the watch if the server supports it. Default: true. */
  readonly watchList?: boolean | undefined;
  /** Default: the system time. */
  readonly clock?: Clock | undefined;
  /** Called with errors that informers recover from; a `CallbackError` if a function of the user failed. */
  readonly onError?: ((error: Error, informer: { readonly kind: Kind }) => void) | undefined;
  /** Called when a read starts an informer; see `missingInformer`. */
  readonly onWarning?: ((text: string, informer: { readonly kind: Kind }) => void) | undefined;
}
