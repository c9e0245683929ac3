import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { CallOptions } from "../http/transport.ts";

export type { CallOptions };

/** Selects objects of a kind. */
export interface Selection extends CallOptions {
  /** Only objects of this namespace. Default: all namespaces. */
  readonly namespace?: string | undefined;
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
export interface ListOptions extends Selection {
  /** Read from the server instead of the cache. Long lists are read in pages. */
  readonly live?: boolean | undefined;
  /** Stop after this many objects. */
  readonly limit?: number | undefined;
}

/** Options for reading a live list in pages. */
export interface PageOptions extends Selection {
  /** Objects per page. Default: 500. */
  readonly pageSize?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** Options for watching. */
export interface WatchOptions extends Selection {
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
  /** Let the server validate and answer, but store nothing. */
  readonly dryRun?: boolean | undefined;
  /** The server ignores unknown fields, warns of them, or rejects the write. Default: `Warn`. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

/** Options for creating. */
export interface CreateOptions extends WriteOptions {
  /**
   * The controlling owner of the new object: when the owner is deleted, so is the object. The default of the object's
   * namespace is the owner's.
   */
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
  readonly leaveStrangers?: boolean | undefined;
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
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
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

/** Which objects to delete, and how. */
export interface DeleteAllOptions extends Selection, Omit<DeleteOptions, "preconditions"> {}
