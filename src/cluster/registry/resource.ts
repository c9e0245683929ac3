// The registry: writes that all resources share, independent of kinds. Begin with the interface `Resource` and its
// `Strategy`, which say how the writes of a kind differ; then read `create-object.ts` from the top, and
// `update-object.ts` and `delete-object.ts` beside it. `registry.ts` has the resources that are served, `write.ts` the
// request of a write.

import type { FieldError } from "@tsbuilder/apimachinery/errors";
import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { DeleteOptions } from "@tsbuilder/apimachinery/k8s/meta/v1";
import type { SchemaNode } from "@tsbuilder/apimachinery/patch";
import type { CompiledSchema } from "@tsbuilder/apimachinery/schema";
import type { StatusSubject } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Collection } from "../storage/collection.ts";
import type { Entry } from "../storage/entry.ts";
import type { User } from "../contract/user.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** The names of a resource in discovery. */
export interface ResourceNames extends StatusSubject {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** A resource as handlers see it, built-in or custom. */
export interface Resource extends ResourceNames {
  readonly namespaced: boolean;
  /** The group of the kind in errors, if it differs: events of both groups are core events. */
  readonly kindGroup?: string;
  readonly verbs: readonly Verb[];
  /** The served versions, the preferred one first. */
  readonly versions: readonly ResourceVersion[];
  /** Versions that are not served, but may be named in managed fields. */
  readonly unserved?: readonly ResourceVersion[];
  readonly storageVersion: string;
  readonly storageVersionHash?: string;
  readonly collection: Collection;
  readonly strategy: Strategy;
  /** The subresources of all versions. */
  readonly subresources: ReadonlyMap<string, SubresourceInfo>;
  /** True for resources of CRDs, which have no strategic merge patch and no protobuf. */
  readonly custom: boolean;
  /** A conversion changes only the apiVersion; false if a webhook converts. */
  readonly renamesVersions?: boolean;
  /** Loads the schemas that writes need; undefined if they are loaded. */
  load?(): Promise<void> | undefined;
  /** Returns a stored object in a version: converted, pruned and with defaults. */
  present(entry: Entry, version: string): Entry | Promise<Entry>;
  /** Returns many stored objects in a version, with at most one call of a conversion webhook. */
  presentAll(entries: readonly Entry[], version: string): Entry[] | Promise<Entry[]>;
  /** Converts an object that is not stored yet. */
  convert(object: ApiObject, version: string): ApiObject | Promise<ApiObject>;
}

/** One served version of a resource. */
export interface ResourceVersion {
  readonly name: string;
  /** The deprecation warning of the version. */
  readonly deprecation?: string;
  readonly schema?: ObjectSchema | undefined;
  /** The JSON of a zero object in Go; its fields are never in managedFields. */
  readonly zero?: JSONObject;
  /** The zero object of bookmarks, without apiVersion and kind. */
  readonly bookmarkObject?: JSONObject;
  readonly columns?: TableColumns;
  /** The subresources of this version, if they are not those of the resource. */
  readonly subresources?: ReadonlyMap<string, SubresourceInfo>;
  /** Undefined if the version has no scale subresource. */
  readonly scale?: ScalePaths;
}

/** The definition of a Table column. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  /** Above 0, the column is shown only in wide output. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

/** Computes one cell of a row. */
export type CellReader = (object: ApiObject, now: number) => Cell;

/** The columns and cells of a kind in `kubectl get`. */
export interface TableColumns {
  readonly definitions: readonly ColumnDefinition[];
  cells(object: ApiObject, now: number): Cell[];
  /** The conditions of a row, such as `Completed` for Pods. */
  rowConditions?(object: ApiObject): readonly object[] | undefined;
}

/** The schemas of the objects of one version. */
export interface ObjectSchema {
  /** For pruning, defaults and validation; undefined for built-in kinds, which have code for these. */
  readonly compiled?: CompiledSchema;
  /** For strategic merge patch and server-side apply. */
  readonly node: SchemaNode;
  /** Returns the paths of unknown fields, as strict decoding reports them. */
  unknownFields(object: unknown): readonly string[];
  /** Converts a merged object of a built-in kind, or returns why it can't in the words of the real server. */
  convertMerged?(object: object): string | undefined;
}

/** The dotted paths of the fields that a Scale shows. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  readonly selector?: string;
  /** Returns the reason if the Scale of an object can't be read. */
  readonly problem?: (object: ApiObject) => string | undefined;
}

/** A subresource in discovery, with the kind of its body if that differs from the resource's. */
export interface SubresourceInfo {
  readonly verbs: readonly Verb[];
  readonly body?: { readonly group: string; readonly version: string; readonly kind: string };
}

type ValidationErrors = FieldError[] | Promise<FieldError[]>;

/** How the writes of a resource differ. `default` and `prepare*` may change the object in place, but never `old`. */
export interface Strategy {
  /** PUT of a missing object creates it. */
  readonly createOnUpdate: boolean;
  /** Server-side apply of the status of a missing object creates it. */
  readonly createOnStatusApply?: boolean;
  /** PUT without a resourceVersion overwrites the stored object. */
  readonly unconditionalUpdate: boolean;
  /** Makes the name of a new object from its `generateName`. */
  readonly generateName: (prefix: string) => string;
  /** `metadata.generation` counts changes of the spec. */
  readonly generation: boolean;
  /** Writes to `/status` also change metadata, as for older kinds. */
  readonly statusWritesMetadata: boolean;
  readonly validateName: (name: string, prefix: boolean, object: ApiObject) => string[];
  readonly metadataChecks: MetadataChecks;
  /** Returns true if a change increments the generation. Changes of metadata never do. */
  specChanged(object: ApiObject, old: ApiObject, subresource: string): boolean;
  default?(object: ApiObject, context: WriteRequest): void;
  prepareForCreate?(object: ApiObject, context: WriteRequest): void;
  prepareForUpdate?(object: ApiObject, old: ApiObject, context: WriteRequest): void;
  /** Restores the fields that a write to this endpoint must not change from the stored object. */
  resetFields(object: ApiObject, old: ApiObject | undefined, subresource: string): void;
  /** List maps may have items without a key; nobody owns the fields of such an object. */
  readonly mayLackKeys?: boolean;
  /** The paths of the fields that `resetFields` restores and that are not owned. Default: spec or status. */
  resetPaths?(subresource: string): string[][];
  validate?(object: ApiObject, context: WriteRequest): ValidationErrors;
  validateUpdate?(object: ApiObject, old: ApiObject, context: WriteRequest): ValidationErrors;
  /** The warnings for an accepted write. */
  warnings?(object: ApiObject, old: ApiObject | undefined): Iterable<string>;
  /** Runs just before the commit, for example to allocate an address; may throw. */
  beforeCommit?(object: ApiObject, old: ApiObject | undefined, context: WriteRequest): void;
  afterDelete?(object: ApiObject): void;
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly fieldSelectors?: ReadonlyMap<string, (object: ApiObject) => string>;
  /** The kind's own message for a field that can't be selected. */
  refuseSelector?(field: string): string;
  /** Changes the metadata for Tables and PartialObjectMetadata. */
  partialMetadata?(metadata: ApiObject["metadata"]): ApiObject["metadata"];
  /** The default propagation policy. With `Unsupported`, the policy of a request is ignored. */
  readonly defaultPropagation?: "Orphan" | "Background" | "Unsupported";
  /** The finalizers that the first DELETE adds. */
  readonly deletionFinalizers?: readonly string[];
  /** A DELETE responds with the object even if it is gone. */
  readonly returnsDeleted?: boolean;
  /** The warning for a deletion. */
  deletionWarning?(
    options: Pick<DeleteOptions, "propagationPolicy" | "orphanDependents">,
  ): string | undefined;
  /** The grace period in seconds; kinds without one omit the method. */
  gracePeriod?(object: ApiObject, requested: number | undefined): number;
  /** Returns true if something besides the finalizers in its metadata keeps a deleted object. */
  isHeld?(object: ApiObject): boolean;
  /** Returns the object with the changes, besides metadata, that mark it as being deleted. */
  markDeleted?(object: ApiObject): ApiObject;
  /** Throws if the kind refuses the deletion. */
  beforeDelete?(object: ApiObject): void;
}

/**
 * The validations of metadata that a kind runs itself, in order, besides the registry's for every kind. The causes of the
 * real server's errors have an entry for each validation that finds the error.
 */
export interface MetadataChecks {
  readonly create: readonly MetadataCheck[];
  readonly update: readonly MetadataCheck[];
  readonly status: readonly MetadataCheck[];
  /** Each check also requires finalizers to be standard or to have a domain. */
  readonly qualifiedFinalizers: boolean;
}

/** A validation of metadata: `new` checks names, labels and finalizers, `update` labels and what has changed. */
export type MetadataCheck = "new" | "update";

/**
 * The resource, object and user of a request. A request is one object that grows: handlers add the resolved path (Target),
 * writes their options (WriteRequest, Write), and admission the objects (AdmissionRequest). Code that adds fields writes
 * them before the spread: behind a spread, V8 gives each object a shape of its own, which takes a microsecond a field.
 */
export interface ApiRequest {
  readonly resource: Resource;
  /** The API version that the client uses. */
  readonly version: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped resources. */
  readonly namespace: string;
  /** Empty for a create with generateName, and for deletecollection. */
  readonly name: string;
  readonly user: User;
}

/** A write as strategies and admission see it. */
export interface WriteRequest extends ApiRequest {
  readonly now: number;
  readonly dryRun: boolean;
  /** A server-side apply: its object has managed fields already, and may have nulls, because it was not decoded. */
  readonly applied?: boolean;
  /** The options object, such as CreateOptions, as admission webhooks receive it. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (message: string) => void;
}

/** The group and kind by which errors name a resource's objects. */
export function kindSubject({ group, kindGroup = group, plural, kind }: Resource): StatusSubject {
  return { group: kindGroup, plural, kind };
}

/** The subresources that a resource has in a version. */
export function subresourcesIn(
  { versions, subresources }: Resource,
  version: string,
): ReadonlyMap<string, SubresourceInfo> {
  return versions.find(({ name }) => name === version)?.subresources ?? subresources;
}

/** The storage key of an object. */
export function keyOf(resource: { namespaced: boolean }, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}

/** The value that a field selector compares: a field as text, empty if it is missing. */
export function fieldText(object: object, path: string): string {
  let value: unknown = object;
  for (const field of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[field];
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
