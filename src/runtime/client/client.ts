import type { Kind, KubernetesList, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { JSONPatchOperation } from "@tsbuilder/apimachinery/patch";
import type { Desired, DesiredStatus } from "./desired.ts";
import type { ObjectKey, ObjectRef } from "./object-key.ts";
import type {
  ApplyOptions,
  CreateOptions,
  DeleteAllOptions,
  DeleteOptions,
  ListOptions,
  PageOptions,
  PatchOptions,
  ReadOptions,
  WatchOptions,
  WriteOptions,
} from "./options.ts";
import type { RestMapper } from "./rest-mapper.ts";
import type { RawRequest, RawResponse } from "../http/transport.ts";

/**
 * Reads objects. A manager's client reads from its cache: objects come frozen, are shared with other readers, and show
 * every write that this client has finished. `structuredClone` gives a draft to change.
 */
export interface Reader {
  /** Reads an object; undefined if it isn't there. */
  find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: ReadOptions,
  ): Promise<T | undefined>;

  /** Reads an object that must be there; throws an `ApiError` with `isNotFound` if it isn't. */
  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: ReadOptions): Promise<T>;

  /** Reads all objects of a kind, or those selected; ordered by namespace and name when live, unordered from the cache. */
  list<T extends KubernetesObject>(kind: Kind<T>, options?: ListOptions): Promise<T[]>;
}

/**
 * Reads and writes the objects of a cluster as plain JSON: no field is renamed, dropped or turned into a class, and
 * `apiVersion` and `kind` are always there. The kind comes first in every call; types follow from it.
 *
 * Every call throws an `ApiError` for what the server refuses. 429 and 5xx answers that say when to come back are
 * retried, so are lost connections for calls that may be repeated. Undefined fields are dropped before sending.
 */
export interface Client extends Reader {
  /** Creates an object; throws an `ApiError` with `isAlreadyExists` if the name is taken. */
  create<T extends KubernetesObject>(kind: Kind<T>, object: Desired<T>, options?: CreateOptions): Promise<T>;

  /** Replaces an object, all but its status. With a `resourceVersion` in it, a conflict is thrown if it changed since. */
  update<T extends KubernetesObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;

  /** Replaces the status of an object, which must carry the `resourceVersion` it was read with. */
  updateStatus<T extends KubernetesObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;

  /**
   * Changes an object that was read before: `change` edits a draft, and the difference is sent as a merge patch with
   * the object's `resourceVersion`. Without a difference nothing is sent and the object itself is returned. Changes of
   * the status are left out: they go through `patchStatus`.
   */
  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    object: T,
    change: (draft: T) => void,
    options?: PatchOptions,
  ): Promise<T>;

  /** Sends a patch as it is. */
  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;

  /**
   * Makes the status of an object what is given, all of it: fields that are missing from `status` are removed. Sends
   * the difference to `object` as a merge patch with its `resourceVersion`, and nothing if there is none.
   */
  patchStatus<T extends KubernetesObject>(
    kind: Kind<T>,
    object: T,
    status: DesiredStatus<T>,
    options?: PatchOptions,
  ): Promise<T>;

  /**
   * Server-side apply: makes the object have the given fields, creating it if need be, and removes fields that an
   * earlier apply of the same field manager set and this one no longer has. Other fields stay as they are.
   *
   * Sends nothing when it would change nothing: the desired object equals the one applied last, and the cached object
   * is still what that apply returned. A new process applies once.
   */
  apply<T extends KubernetesObject>(
    kind: Kind<T>,
    desired: NoInfer<Desired<T>>,
    options?: ApplyOptions,
  ): Promise<T>;

  /** Server-side apply of fields of the status, for statuses that several managers share. */
  applyStatus<T extends KubernetesObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    status: Partial<DesiredStatus<T>>,
    options?: Omit<ApplyOptions, "owner" | "adopt">,
  ): Promise<T>;

  /**
   * Asks the server to delete an object, and tells whether it was there. The object may stay for a while: until its
   * finalizers are done, its pods have ended, or its dependents are gone.
   */
  delete<T extends KubernetesObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    options?: DeleteOptions,
  ): Promise<boolean>;

  /** Deletes all objects of a kind in one request, or those selected. A namespaced kind needs a namespace. */
  deleteAllOf<T extends KubernetesObject>(kind: Kind<T>, options?: DeleteAllOptions): Promise<void>;

  /** Lists live, a page at a time. A page that expired while reading throws an `ApiError` with `isGone`. */
  pages<T extends KubernetesObject>(kind: Kind<T>, options?: PageOptions): AsyncIterable<KubernetesList<T>>;

  /**
   * Watches for tools: one request, ended by the signal, the server, or leaving the loop. An `ERROR` event is thrown.
   * Operators use the cache, which survives what a watch doesn't.
   */
  watch<T extends KubernetesObject>(kind: Kind<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;

  /** A subresource of an object, such as `scale`, `eviction`, `token` or `approval`. Logs are text: `request` reads them. */
  subresource<Body extends KubernetesObject = KubernetesObject>(
    kind: Kind,
    ref: ObjectRef,
    name: string,
  ): Subresource<Body>;

  /** The same client with other defaults; what stands in a call wins over them. */
  with(defaults: ClientDefaults): Client;

  /** Kinds that are known only when the program runs, found by discovery. */
  readonly mapper: RestMapper;

  /** Sends any request: `/version`, `/readyz`, logs. */
  request(request: RawRequest): Promise<RawResponse>;
}

/** What `Client.with` sets for every call. */
export interface ClientDefaults {
  readonly signal?: AbortSignal | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  /** Store nothing, whatever is written. */
  readonly dryRun?: boolean | undefined;
  /** The only namespace: filled in where a call names none, and a call that names another throws a `TerminalError`. */
  readonly namespace?: string | undefined;
  /** Ask the server, not the cache. */
  readonly live?: boolean | undefined;
}

/** A patch as it goes over the wire: a JSON merge patch, a list of operations, or a strategic merge patch. */
export type Patch =
  | { readonly merge: object }
  | { readonly json: readonly JSONPatchOperation[] }
  | { readonly strategic: object };

/** What a watch reports. A bookmark's object holds nothing but its version. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: KubernetesObject };

/** A subresource of one object. */
export interface Subresource<Body extends KubernetesObject> {
  get(options?: ReadOptions): Promise<Body>;
  create(body: Desired<Body>, options?: WriteOptions): Promise<Body>;
  update(body: Body, options?: WriteOptions): Promise<Body>;
  patch(patch: Patch, options?: WriteOptions): Promise<Body>;
  apply(body: Desired<Body>, options?: Omit<ApplyOptions, "owner" | "adopt">): Promise<Body>;
}
