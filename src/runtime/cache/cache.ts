// The cache: informers that keep the objects of watched kinds, and reads from them. Begin here with its contract; then
// `create-cache.ts` makes it, `shared-informer.ts` is the informer of a kind, and `partition.ts` merges one watch with
// our own writes. `cached-client.ts` is the client that controllers use: it reads from the cache and writes to the
// server.

import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Reader } from "../client/client.ts";
import type { DeepReadonly, ObjectKey } from "../client/objects.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Informer } from "./informer.ts";

/**
 * The informers of a process, and reads from them. An informer is created by the first subscription or read of its kind
 * and shared by all. No request is sent before `start`.
 */
export interface Cache extends Reader {
  /** The informer of a kind, created if necessary. Kinds of `metadataOnly` have their own. */
  informer<T extends KubernetesObject>(kind: Kind<T>): Informer<T>;

  /** The informer of a kind if it exists. */
  existing<T extends KubernetesObject>(kind: Kind<T>): Informer<T> | undefined;

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
  addIndex<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    values: (object: DeepReadonly<T>) => readonly string[],
  ): void;

  /**
   * Caches only a part of a kind, selected by labels or fields. Call it in a setup function before the kind is watched.
   * Reads of other objects find nothing, or are made live. Throws a `TerminalError` if the whole kind is already
   * cached.
   */
  keepOnly(kind: Kind, scope: InformerScope): void;

  /** Adds the result of a write of this process, so that reads return it before the watch delivers it. */
  wrote(kind: Kind, object: KubernetesObject): void;

  /** Records that this process deleted an object. */
  wroteDeletion(kind: Kind, key: ObjectKey, uid: string | undefined): void;
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
  /**
   * Keep `metadata.managedFields`. Default: false, because they make up a third of a pod and controllers don't read
   * them.
   */
  readonly keepManagedFields?: boolean | undefined;
  /** The field manager whose earlier applies are recognized, so that a cold start sends none that changes nothing. */
  readonly fieldManager?: string | undefined;
  /**
   * The behavior of reads whose kind has no informer: `create` makes one and waits for it, `warn` also logs a warning,
   * `fail` throws a `TerminalError`. Default: `warn`, because accidentally caching all pods of a cluster takes a lot of
   * memory.
   */
  readonly missingInformer?: "create" | "warn" | "fail" | undefined;
  /** Stream the first list through the watch if the server supports it. Default: true. */
  readonly watchList?: boolean | undefined;
  /** Default: the system time. */
  readonly clock?: Clock | undefined;
  /**
   * Called with errors that informers recover from; a `CallbackError` if a handler, an index function or a transform
   * failed.
   */
  readonly onError?: ((error: Error, informer: { readonly kind: Kind }) => void) | undefined;
  readonly onWarning?: ((text: string, informer: { readonly kind: Kind }) => void) | undefined;
}
