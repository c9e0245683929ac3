import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Reader } from "../client/client.ts";
import type { ObjectKey } from "../client/object-key.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Informer } from "./informer.ts";

/**
 * The informers of a process and reads from them. An informer is made by the first subscription or read of its kind
 * and shared by all. Nothing is asked of the server before `start`.
 */
export interface Cache extends Reader {
  /** The informer of a kind, made if need be. Kinds of `metadataOnly` have their own. */
  informer<T extends KubernetesObject>(kind: Kind<T>): Informer<T>;

  /** The informer of a kind if there is one. */
  existing<T extends KubernetesObject>(kind: Kind<T>): Informer<T> | undefined;

  /** All informers, for metrics and health. */
  readonly informers: readonly Informer[];

  /** Starts the informers that are there, and from now on each that is asked for. */
  start(): void;

  /** Resolves when all informers of this moment have synced. */
  synced(signal?: AbortSignal): Promise<void>;

  /** Stops an informer and drops its objects; subscriptions end. Deleting a CRD at run time is a reason. */
  remove(kind: Kind): void;

  /** Stops all informers, closes their connections and resolves when none is left. */
  stop(): Promise<void>;

  /** Adds an index: see `Informer.addIndex`. */
  addIndex<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    values: (object: T) => readonly string[],
  ): void;

  /**
   * Keeps only a part of a kind, by labels or fields. A setup function says so before it watches the kind; reads of
   * what is left out find nothing, or are made live. Throws a `TerminalError` if all of the kind is cached already.
   */
  keepOnly(kind: Kind, scope: InformerScope): void;

  /** Takes the answer of a write of this process, so that reads show it before the watch tells. */
  wrote(kind: Kind, object: KubernetesObject): void;

  /** Takes the news that this process deleted an object for good. */
  wroteDeletion(kind: Kind, key: ObjectKey, uid: string | undefined): void;
}

/** Which objects an informer keeps. */
export interface InformerScope {
  /** Only objects with these labels, in the server's syntax. */
  readonly labels?: string | undefined;
  /** Only objects with these fields, in the server's syntax. */
  readonly fields?: string | undefined;
  /** Changes an object before it is stored; must give the same result when run twice. */
  readonly transform?: ((object: KubernetesObject) => KubernetesObject) | undefined;
}

/** Options of one kind. They win over the options for all kinds. */
export interface KindCacheOptions extends InformerScope {
  /**
   * The namespaces to watch, each with a scope of its own or `{}`; `""` stands for all the others. One watch per
   * namespace, so that rights in these namespaces are enough.
   */
  readonly namespaces?: readonly string[] | { readonly [namespace: string]: InformerScope } | undefined;
  /** Read this kind from the server, never from the cache. */
  readonly live?: boolean | undefined;
}

/** How a cache is set up. */
export interface CacheOptions extends KindCacheOptions {
  /** Options by kind. */
  readonly kinds?: readonly (readonly [Kind, KindCacheOptions])[] | undefined;
  /** Keep `metadata.managedFields`; dropped unless true, as it is a third of a pod and no controller reads it. */
  readonly keepManagedFields?: boolean | undefined;
  /** Whose applies are remembered from before this process, so that a cold start sends none that changes nothing. */
  readonly fieldManager?: string | undefined;
  /**
   * What a read does when its kind has no informer yet: `create` makes one and waits for it, `warn` does so and says
   * it, `fail` throws a `TerminalError`. `warn` unless said otherwise: a forgotten watch of all pods of a
   * cluster is memory nobody planned for.
   */
  readonly missingInformer?: "create" | "warn" | "fail" | undefined;
  /** Stream the first list through the watch where the server can; on unless turned off. */
  readonly watchList?: boolean | undefined;
  /** The machine's time unless a test gives its own. */
  readonly clock?: Clock | undefined;
  /** Told what informers recover from; a `CallbackError` if a handler, an index function or a transform failed. */
  readonly onError?: ((error: Error, informer: { readonly kind: Kind }) => void) | undefined;
  readonly onWarning?: ((text: string, informer: { readonly kind: Kind }) => void) | undefined;
}
