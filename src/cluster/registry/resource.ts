import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { FieldError } from "@tsbuilder/apimachinery/errors";
import type { Subject } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Collection } from "../storage/collection.ts";
import type { Entry } from "../storage/entry.ts";
import type { WriteRequest } from "./api-request.ts";
import type { ObjectSchema } from "./object-schema.ts";
import type { TableColumns } from "./table-columns.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** What discovery tells about a resource. */
export interface ResourceNames extends Subject {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** One served version of a resource. */
export interface ResourceVersion {
  readonly name: string;
  /** What `Warning` headers say about using the version. */
  readonly deprecation?: string;
  readonly schema?: ObjectSchema | undefined;
  readonly columns?: TableColumns;
  /** Where the version keeps its replicas, as dotted paths, if it has a scale subresource. */
  readonly scale?: ScalePaths;
}

export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  readonly selector?: string;
}

/** A resource as the handlers see it: built-in kinds and custom resources look alike. */
export interface Resource extends ResourceNames {
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  /** The served versions, the preferred one first. */
  readonly versions: readonly ResourceVersion[];
  readonly storageVersion: string;
  readonly storageVersionHash?: string;
  readonly collection: Collection;
  readonly strategy: Strategy;
  readonly subresources: ReadonlyMap<string, SubresourceInfo>;
  /** Custom resources have JSON semantics throughout: no strategic merge, no protobuf. */
  readonly custom: boolean;
  /** What Go prints of an empty object of the kind; nobody owns these fields in managedFields. */
  readonly emptyObject?: JSONObject;
  /** Loads what writes need besides; nothing where it is loaded. */
  load?(): Promise<void> | undefined;
  /** Presents a stored state in a version: converted, pruned, defaulted. */
  present(entry: Entry, version: string): Entry | Promise<Entry>;
  /** Presents many states; one call of a conversion webhook where one is needed. */
  presentAll(entries: readonly Entry[], version: string): Entry[] | Promise<Entry[]>;
  /** Converts an object that is not stored yet. */
  convert(object: ApiObject, version: string): ApiObject | Promise<ApiObject>;
}

/** A subresource in discovery, with the kind of its body where that differs from the resource's. */
export interface SubresourceInfo {
  readonly verbs: readonly Verb[];
  readonly body?: { readonly group: string; readonly version: string; readonly kind: string };
}

/**
 * How one resource differs from the next in writes. Objects handed to `default` and `prepare*` belong to the
 * write and may be changed; `old` objects are stored ones and may not.
 */
export interface Strategy {
  /** PUT of an object that is not there creates it. */
  readonly createOnUpdate: boolean;
  /** PUT without a resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate: boolean;
  readonly generateName: boolean;
  /** Objects count changes of their spec in `metadata.generation`. */
  readonly generation: boolean;
  /** `/status` writes metadata too, as the older kinds do. */
  readonly statusWritesMetadata: boolean;
  readonly validateName: (name: string, prefix: boolean) => string[];
  /** Whether a change asks for a new generation; metadata is never part of the question. */
  specChanged(object: ApiObject, old: ApiObject, subresource: string): boolean;
  default?(object: ApiObject, context: WriteRequest): void;
  prepareForCreate?(object: ApiObject, context: WriteRequest): void;
  prepareForUpdate?(object: ApiObject, old: ApiObject, context: WriteRequest): void;
  /** Takes the fields from the stored object that a write to this endpoint must not change. */
  resetFields(object: ApiObject, old: ApiObject | undefined, subresource: string): void;
  validate?(object: ApiObject, context: WriteRequest): FieldError[] | Promise<FieldError[]>;
  validateUpdate?(
    object: ApiObject,
    old: ApiObject,
    context: WriteRequest,
  ): FieldError[] | Promise<FieldError[]>;
  /** What a client should know about a write that is let in. */
  warnings?(object: ApiObject, old: ApiObject | undefined): Iterable<string>;
  /** Whatever must hold just before the commit, such as an allocated address; may throw. */
  beforeCommit?(object: ApiObject, old: ApiObject | undefined, context: WriteRequest): void;
  afterDelete?(object: ApiObject): void;
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly fieldSelectors?: ReadonlyMap<string, (object: ApiObject) => string>;
  /** What a deletion without propagationPolicy does with dependents. */
  readonly defaultPropagation?: "Orphan" | "Background";
  /** What a first DELETE adds to the finalizers. */
  readonly deletionFinalizers?: readonly string[];
  /** A DELETE answers the object even when it is gone. */
  readonly returnsDeleted?: boolean;
  /** Tells the client something about a deletion that is about to happen. */
  deletionWarning?(propagationPolicy: string | undefined): string | undefined;
  /** Seconds that the object stays after a DELETE; undefined where deletion is at once. */
  gracePeriod?(object: ApiObject, requested: number | undefined): number;
  /** Whether a deleted object stays for a reason of its own, besides finalizers in its metadata. */
  isHeld?(object: ApiObject): boolean;
  /** How an object shows that it is being deleted, besides its metadata. */
  markDeleted?(object: ApiObject): ApiObject;
  /** Kinds that refuse to be deleted by some rule of their own. */
  beforeDelete?(object: ApiObject): void;
}

/** The key under which a resource's object is stored. */
export function keyOf(resource: { namespaced: boolean }, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}
