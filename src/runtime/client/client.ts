// The client: calls by kind, answered by the server. Begin here with its contract. `live-client.ts` writes and
// `live-reader.ts` reads over HTTP; `requests.ts` turns a call into a request. `children.ts`, `read-modify-write.ts` and
// `intercept-client.ts` are built on any client.

import type { Duplex } from "node:stream";
import type {
  ClusterScopedName,
  Kind,
  KubernetesList,
  KubernetesObject,
  LabelSelector,
  NamespacedName,
  ObjectKey,
  ObjectMeta,
  Time,
} from "@tsbuilder/apimachinery/meta";
import type { JSONPatchOperation } from "@tsbuilder/apimachinery/patch";
import type {
  ExecOptions,
  ExecResult,
  LogLines,
  LogOptions,
  PortForward,
  PortForwardOptions,
} from "../containers/options.ts";
import type { CallOptions, RawRequest, RawResponse } from "../http/transport.ts";
import type { TokenRequest } from "../k8s/authentication/v1.ts";
import type { Scale } from "../k8s/autoscaling/v1.ts";
import type { Binding } from "../k8s/core/v1.ts";
import type { Eviction } from "../k8s/policy/v1.ts";

export type { ClusterScopedName, NamespacedName, ObjectKey };

/**
 * Reads objects. A manager's client reads from its cache: objects are frozen, shared with other readers, and include
 * every completed write of this client. `const copy: T = structuredClone(object)` makes a copy that can be changed.
 */
export interface Reader {
  /** Reads an object; undefined if it doesn't exist. */
  find<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    key: NoInfer<Key>,
    options?: ReadOptions,
  ): Promise<Stored<T, Key> | undefined>;

  /** Reads an object that must exist; throws an `ApiError` with `isNotFound` if it doesn't. */
  get<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    key: NoInfer<Key>,
    options?: ReadOptions,
  ): Promise<Stored<T, Key>>;

  /** Reads the objects of a kind, all or selected. Live lists are ordered by namespace and name, cached ones are not. */
  list<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    options?: ListOptions<NoInfer<Key>>,
  ): Promise<Stored<T, Key>[]>;
}

/**
 * Reads and writes objects of a cluster as plain JSON: no field is renamed, dropped or converted to a class, and
 * `apiVersion` and `kind` are always set. The kind is the first argument of every call and determines its types.
 *
 * Every call throws an `ApiError` if the server rejects it. 429 and 5xx answers with `Retry-After` are retried, and so
 * are calls that may be repeated when their connection breaks. Undefined fields are dropped before sending.
 */
export interface Client extends Reader, Containers {
  /** Creates an object; throws an `ApiError` with `isAlreadyExists` if one of that name exists. */
  create<T extends KubernetesObject, Key extends ObjectKey, Given extends Desired<T, Key>>(
    kind: Kind<T, Key>,
    object: Given & ExactDesired<Given, T, Key>,
    options?: CreateOptions,
  ): Promise<Stored<T, Key>>;

  /** Replaces an object except for its status. With a `resourceVersion`, throws a conflict if the object has changed. */
  update<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T, Key>>;

  /** Replaces the status of an object, which must have the `resourceVersion` it was read with. */
  updateStatus<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T, Key>>;

  /**
   * Changes an object that was read before: `change` edits a draft, and the difference is sent as a merge patch with
   * the object's `resourceVersion`. Without a difference nothing is sent and the object itself is returned. The draft
   * has no status, which only `patchStatus` changes.
   */
  patch<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: NoInfer<DeepReadonly<T>>,
    change: MutateFn<NoInfer<WithoutStatus<T>>>,
    options?: PatchOptions,
  ): Promise<Stored<T, Key>>;

  /** Sends a raw patch. */
  patch<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    ref: ObjectRef<NoInfer<Key>>,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Stored<T, Key>>;

  /**
   * Sets the whole status of an object: fields that are missing from `status` are removed. Sends the difference to
   * `object` as a merge patch with its `resourceVersion`, and nothing if there is none.
   */
  patchStatus<T extends KubernetesObject, Key extends ObjectKey, Given extends DesiredStatus<T>>(
    kind: Kind<T, Key>,
    object: NoInfer<DeepReadonly<T>>,
    status: Given & Exact<Given, DesiredStatus<T>>,
    options?: PatchOptions,
  ): Promise<Stored<T, Key>>;

  /**
   * Server-side apply: sets the given fields, creates the object if it doesn't exist, and removes fields that an
   * earlier apply of the same field manager set and this one omits. Other fields are not changed.
   *
   * Sends nothing if it would change nothing: the desired object equals the one applied last, and the cached object is
   * still the result of that apply; a new process takes that from the managed fields. The result of a manager's client
   * is frozen, whether or not something was sent.
   */
  apply<T extends KubernetesObject, Key extends ObjectKey, Given extends Desired<T, Key>>(
    kind: Kind<T, Key>,
    desired: Given & ExactDesired<Given, T, Key>,
    options?: ApplyOptions,
  ): Promise<Stored<T, Key>>;

  /**
   * Server-side apply of some fields of an object that was read before, and that somebody else creates: the replicas of a
   * Deployment without its selector. Throws a conflict if the object was deleted since. An apply replaces the one before
   * by the same field manager, so give all fields of that object in one call.
   */
  applyFields<T extends KubernetesObject, Key extends ObjectKey, Given extends ApplyConfiguration<T>>(
    kind: Kind<T, Key>,
    object: NoInfer<Stored<T, Key>>,
    fields: Given & Exact<Given, ApplyConfiguration<T>>,
    options?: Omit<ApplyOptions, "owner" | "adopt" | "adoptOnlyMatching">,
  ): Promise<Stored<T, Key>>;

  /** Server-side apply of status fields, for a status that several managers share. */
  applyStatus<T extends KubernetesObject, Key extends ObjectKey, Given extends Partial<DesiredStatus<T>>>(
    kind: Kind<T, Key>,
    ref: ObjectRef<NoInfer<Key>>,
    status: Given & Exact<Given, DesiredStatus<T>>,
    options?: Omit<ApplyOptions, "owner" | "adopt" | "adoptOnlyMatching">,
  ): Promise<Stored<T, Key>>;

  /**
   * Deletes an object, and returns whether it existed. The object may remain for a while: until its finalizers are
   * removed, its pods have terminated, or its dependents are deleted.
   */
  delete<Key extends ObjectKey>(
    kind: Kind<KubernetesObject, Key>,
    ref: ObjectRef<NoInfer<Key>>,
    options?: DeleteOptions,
  ): Promise<boolean>;

  /** Deletes the objects of a kind in one request: those of a namespace or, if the kind has none, of the cluster. */
  deleteAllOf<Key extends ObjectKey>(
    kind: Kind<KubernetesObject, Key>,
    options: DeleteAllOptions<NoInfer<Key>>,
  ): Promise<void>;

  /** Lists live, one page at a time. If the continue token expires, throws an `ApiError` with `isGone`. */
  pages<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    options?: PageOptions<NoInfer<Key>>,
  ): AsyncIterable<KubernetesList<T>>;

  /**
   * Watches with a single request, ended by the signal, the server, or leaving the loop. An `ERROR` event is thrown.
   * Intended for tools: operators use the cache, which recovers from failures.
   */
  watch<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    options?: WatchOptions<NoInfer<Key>>,
  ): AsyncIterable<WatchEvent<T>>;

  /**
   * A subresource of an object, such as `scale`, `eviction`, `token` or `approval`. For those of containers there are
   * `logs`, `exec`, `openPort` and `portForward`.
   */
  subresource<
    T extends KubernetesObject,
    Key extends ObjectKey,
    Name extends keyof SubresourceTypes<KubernetesObject>,
  >(
    kind: Kind<T, Key>,
    ref: ObjectRef<NoInfer<Key>>,
    name: Name,
  ): Subresource<SubresourceTypes<T>[Name]>;

  /** A subresource that no built-in kind has. */
  subresource<Body extends KubernetesObject = KubernetesObject, Key extends ObjectKey = ObjectKey>(
    kind: Kind<KubernetesObject, Key>,
    ref: ObjectRef<NoInfer<Key>>,
    name: string,
  ): Subresource<Body>;

  /** The same client with other defaults; options of a call override them. */
  with(defaults: ClientDefaults): Client;

  /** Kinds that are known only at run time, found by discovery. */
  readonly mapper: RestMapper;

  /** Sends any request: `/version`, `/readyz`, a WebSocket of an extension API. */
  request(request: RawRequest): Promise<RawResponse>;
}

/** An object of a kind that is known only at run time. */
export interface UnstructuredObject extends KubernetesObject {
  [field: string]: unknown;
}

/** Finds kinds by discovery. Results are cached; an unknown kind is looked up again, because its CRD may be new. */
export interface RestMapper {
  /**
   * The kind of that name; throws an `ApiError` with `isNoKindMatch` if the server doesn't have it.
   */
  kindFor(
    gvk: { readonly apiVersion: string; readonly kind: string },
    options?: CallOptions,
  ): Promise<Kind<UnstructuredObject>>;

  /** All kinds of the server, each in its preferred version. */
  kinds(options?: CallOptions): Promise<Kind<UnstructuredObject>[]>;

  /** Clears the cached results. */
  reset(): void;
}

/** Access to the containers of a pod, through the API server. The embedded cluster has no containers. */
export interface Containers {
  /** Reads the log of a container, line by line: `for await (const line of client.logs(pod, { follow: true }))`. */
  logs(pod: ObjectRef<NamespacedName>, options?: LogOptions): LogLines;

  /**
   * Runs a command in a container, and resolves with its exit code and output, whatever the code is. Rejects if the
   * command can't run, if the connection breaks, or with the signal's reason; then the command may go on running.
   */
  exec(
    pod: ObjectRef<NamespacedName>,
    command: readonly string[],
    options?: ExecOptions,
  ): Promise<ExecResult>;

  /**
   * Opens a connection to a port of a pod, for programs that accept a stream. If nothing listens there, the stream is
   * destroyed with an error. Its end closes both directions.
   */
  openPort(pod: ObjectRef<NamespacedName>, port: number, options?: CallOptions): Promise<Duplex>;

  /**
   * Makes a port of a running pod reachable on this machine, on the loopback interface only, until it is closed or the
   * signal is aborted. Each connection is one to the pod.
   */
  portForward(
    pod: ObjectRef<NamespacedName>,
    port: number,
    options?: PortForwardOptions,
  ): Promise<PortForward>;
}

/** Defaults for every call, set by `Client.with`. */
export interface ClientDefaults {
  readonly signal?: AbortSignal | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  /** Store nothing. */
  readonly dryRun?: boolean | undefined;
  /** The only namespace: the default of every call. A call that names another one throws a `TerminalError`. */
  readonly namespace?: string | undefined;
  /** Read from the server instead of the cache. */
  readonly live?: boolean | undefined;
}

/** A raw patch: a JSON merge patch, a JSON patch, or a strategic merge patch. */
export type Patch =
  | { readonly merge: object }
  | { readonly json: readonly JSONPatchOperation[] }
  | { readonly strategic: object };

/** An event of a watch. The object of a bookmark has only a resource version. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: KubernetesObject };

/** A subresource of one object. A body without metadata has the name of that object. */
export interface Subresource<Body extends KubernetesObject> {
  get(options?: ReadOptions): Promise<Body>;
  create(body: SubresourceBody<Body>, options?: WriteOptions): Promise<Body>;
  update(body: Body, options?: WriteOptions): Promise<Body>;
  patch(patch: Patch, options?: WriteOptions): Promise<Body>;
  apply(
    body: SubresourceBody<Body>,
    options?: Omit<ApplyOptions, "owner" | "adopt" | "adoptOnlyMatching">,
  ): Promise<Body>;
}

type SubresourceBody<Body extends KubernetesObject> = Omit<Desired<Body>, "metadata"> &
  Partial<Pick<Desired<Body>, "metadata">>;

/** What the subresources of T's objects are. */
export interface SubresourceTypes<T extends KubernetesObject> {
  approval: T;
  binding: Binding;
  ephemeralcontainers: T;
  eviction: Eviction;
  resize: T;
  scale: Scale;
  status: T;
  token: TokenRequest;
}

/** A key, or a stored object, which has one. */
export type ObjectRef<Key extends ObjectKey = ObjectKey> = Key | { readonly metadata: Key };

/** A key, or an object that may lack one. */
export type UncheckedRef =
  | ObjectKey
  | { readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined } };

/** The key of an object; throws `TypeError` if it has no name. */
export function keyOf(ref: ObjectRef<NamespacedName>): NamespacedName;
export function keyOf(ref: ObjectRef<ClusterScopedName>): ClusterScopedName;
export function keyOf(ref: UncheckedRef): ObjectKey;
export function keyOf(ref: UncheckedRef): ObjectKey {
  const { name, namespace } = "metadata" in ref ? ref.metadata : ref;
  if (!name) throw new TypeError("the object has no name");
  return namespace ? { namespace, name } : { name };
}

/** Formats a key as `namespace/name`, or `name` without a namespace. Objects give their metadata. */
export function formatKey({ namespace, name = "" }: Partial<ObjectKey>): string {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * T as it is read from the cache, where it is frozen: no field can be set, at any depth. It is assignable to T, so
 * functions that only read may declare T itself; this is also why lists have the type of a list that can be changed,
 * although they throw. `const copy: T = structuredClone(object)` is a copy that can be changed.
 */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: DeepReadonly<T[Field]> }
    : T;

/**
 * T as the API server stores it and a client reads it, frozen like `DeepReadonly<T>`: metadata that an object gets when it
 * is created is there. The objects of a cluster-scoped kind are `Stored<T, ClusterScopedName>`.
 */
export type Stored<T extends KubernetesObject, Key extends ObjectKey = NamespacedName> = DeepReadonly<T> & {
  readonly metadata: Key & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: Time;
  };
};

/** Edits a draft in place. A function that returns a new object doesn't compile, because that would have no effect. */
// `void` alone would accept any return value.
export type MutateFn<T> = (draft: T) => void | undefined;

/** T without its status. */
export type WithoutStatus<T> = { [Name in keyof T as Name extends "status" ? never : Name]: T[Name] };

/**
 * A desired object: the client sets apiVersion and kind, the server owns the status, and every optional field accepts
 * `undefined`, which means "not set". So `{ replicas: mysql.spec.replicas }` compiles.
 */
export type Desired<T extends KubernetesObject, Key extends ObjectKey = ObjectKey> = WithUndefined<
  Omit<T, "apiVersion" | "kind" | "metadata" | "status">
> & {
  apiVersion?: T["apiVersion"] | undefined;
  kind?: T["kind"] | undefined;
  // A literal with a namespace doesn't compile where there is none; an object of the kind's own type does.
  metadata: WithUndefined<Key["namespace"] extends undefined ? Omit<ObjectMeta, "namespace"> : ObjectMeta>;
};

/**
 * Some fields of an object that exists, for `applyFields`. Items of lists are whole: the server finds them by their
 * required fields.
 */
export type ApplyConfiguration<T extends KubernetesObject> = Some<
  Omit<T, "apiVersion" | "kind" | "metadata" | "status">
> & {
  metadata?: Pick<WithUndefined<ObjectMeta>, "labels" | "annotations" | "finalizers"> | undefined;
};

/** T with every field optional, recursively but for the items of lists. */
type Some<T> = T extends readonly unknown[]
  ? WithUndefined<T>
  : T extends object
    ? { [Field in keyof T]?: Some<T[Field]> | undefined }
    : T;

/** The type of a kind's `status`. */
export type StatusOf<T extends KubernetesObject> = T extends { status?: infer Status }
  ? Exclude<Status, undefined>
  : never;

/** A desired status: optional fields accept `undefined`. */
export type DesiredStatus<T extends KubernetesObject> = WithUndefined<StatusOf<T>>;

/**
 * Refuses an object of type `Given` that has a field that T lacks, at any depth, in `Given & Exact<Given, T>`. TypeScript itself looks
 * for such fields only in objects that are written in place, so a misspelt one in a variable would be accepted.
 */
// The first line holds for a T that is a type parameter, too: then it is the declared type of the object.
export type Exact<Given, T> = [T] extends [Given] ? unknown : KnownFields<Given, T>;

/**
 * `Exact` for a desired object. Objects as they are declared, or as they were read, may have a status. Those of a kind that
 * is only known at run time may have any field.
 */
export type ExactDesired<Given, T extends KubernetesObject, Key extends ObjectKey> = [
  Desired<T, Key>,
] extends [Given]
  ? unknown
  : Given extends T | Stored<T, Key>
    ? unknown
    : keyof T extends keyof KubernetesObject
      ? unknown
      : KnownFields<Given, Desired<T, Key>>;

type KnownFields<Given, T> = [FieldNames<T>] extends [never]
  ? unknown
  : Given extends readonly unknown[]
    ? readonly KnownFields<Given[number], FieldOf<T, number>>[]
    : Given extends object
      ? {
          [Name in keyof Given]: Name extends FieldNames<T>
            ? Exact<Given[Name], FieldOf<T, Name>>
            : UnknownField<Name, FieldNames<T>>;
        }
      : unknown;

/** The names of T's fields; of all of them, if T is a union. */
type FieldNames<T> = T extends unknown ? keyof T : never;
type FieldOf<T, Name> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never;

/** No value has this type: it says that there is no such field, and which there are. */
interface UnknownField<Name, Known> {
  readonly [unknownField]: readonly [Name, Known];
}
declare const unknownField: unique symbol;

/** T with `undefined` allowed for every optional field, recursively. */
export type WithUndefined<T> = T extends readonly (infer Item)[]
  ? WithUndefined<Item>[]
  : T extends object
    ? { [Field in keyof T]: WithUndefined<T[Field]> | ({} extends Pick<T, Field> ? undefined : never) }
    : T;

/** Selects objects of a kind. */
export interface ObjectSelector<Key extends ObjectKey = ObjectKey> extends CallOptions {
  /** Only objects of this namespace. Default: all namespaces. */
  readonly namespace?: Key["namespace"] | undefined;
  /**
   * Labels that an object must have; a label selector like `spec.selector`; or a selector in the API's string syntax:
   * `app=db,tier in (a, b),!canary`.
   */
  readonly labels?: string | LabelSelector | { readonly [label: string]: string | undefined } | undefined;
  /**
   * Field values that an object must have. Live reads support the server's field selectors (`metadata.name`,
   * `spec.nodeName` for pods, …); cached reads support `metadata.name`, `metadata.namespace` and the indexes added to
   * the cache.
   */
  readonly fields?: { readonly [field: string]: string | undefined } | undefined;
}

/** Options for reading an object. */
export interface ReadOptions extends CallOptions {
  /** Read from the server instead of the cache. */
  readonly live?: boolean | undefined;
}

/** Options for listing objects. */
export interface ListOptions<Key extends ObjectKey = ObjectKey> extends ObjectSelector<Key> {
  /** Read from the server instead of the cache. Long lists are read in pages. */
  readonly live?: boolean | undefined;
  /** Only objects that this owner controls, or tracks by label. The cache has an index of them. */
  readonly owner?: Owner | undefined;
  /** Stop after this many objects. */
  readonly limit?: number | undefined;
}

/** Options for reading a live list in pages. */
export interface PageOptions<Key extends ObjectKey = ObjectKey> extends ObjectSelector<Key> {
  /** Objects per page. Default: 500. */
  readonly pageSize?: number | undefined;
  /** Begin behind the page that had this token. */
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** Options for watching. */
export interface WatchOptions<Key extends ObjectKey = ObjectKey> extends ObjectSelector<Key> {
  /** Report changes after this version. Without it, existing objects are reported first, as `ADDED`. */
  readonly resourceVersion?: string | undefined;
  /** Request `BOOKMARK` events, which contain only a version. */
  readonly bookmarks?: boolean | undefined;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number | undefined;
}

/** Options for writing. */
export interface WriteOptions extends CallOptions {
  /** The field manager. Default: the client's. */
  readonly fieldManager?: string | undefined;
  /** Let the server validate and answer, but store nothing. An object that would be created has the version `""`. */
  readonly dryRun?: boolean | undefined;
  /** The server ignores unknown fields, warns of them, or rejects the write. Default: `Warn`. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

/** Options for creating. */
export interface CreateOptions extends WriteOptions {
  /** The controlling owner: when it is deleted, so is the object. Its namespace is the default of the object's. */
  readonly owner?: Owner | undefined;
}

/** Options for changing an object that was read before. */
export interface PatchOptions extends WriteOptions {
  /** Fail with a conflict if the object has changed since it was read. Default: true; raw patches never check. */
  readonly optimisticLock?: boolean | undefined;
}

/** Options for applying. */
export interface ApplyOptions extends CreateOptions {
  /**
   * The controlling owner, as with `create`. If another object already controls this one, `apply` throws an `ApiError`
   * with `isAlreadyOwned` and changes nothing; with `isConflict` if the object that was read was deleted since, also if
   * there is another one of its name.
   */
  readonly owner?: Owner | undefined;
  /** Take the object over from its current controller. */
  readonly adopt?: boolean | undefined;
  /**
   * Don't touch an existing object without a controller, unless it has all labels of the desired object: `apply` throws
   * an `ApiError` with `isAlreadyOwned` instead. Default: such an object is adopted.
   */
  readonly adoptOnlyMatching?: boolean | undefined;
  /**
   * Send the apply even if the cache shows that it would change nothing: caches don't know who else manages a field.
   */
  readonly live?: boolean | undefined;
  /** Take fields over from other managers. Default: true; with false, a conflict is thrown. */
  readonly force?: boolean | undefined;
}

/** An object that can own others: stored, so it has a name and a uid. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid: string;
    readonly generation?: number | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
}

/** Options for deleting. */
export interface DeleteOptions extends CallOptions {
  /** Delete only this exact object: fails with a conflict if uid or resourceVersion differ. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  /** Delete the dependents first, or in the background, or leave them without an owner. Default: the kind's. */
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Selects the objects to delete, and how. */
export type DeleteAllOptions<Key extends ObjectKey = ObjectKey> = Omit<ObjectSelector, "namespace"> &
  Omit<DeleteOptions, "preconditions"> &
  Pick<Key, "namespace">;
