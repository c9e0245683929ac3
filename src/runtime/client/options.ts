import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { CallOptions } from "../http/call-options.ts";

export type { CallOptions };

/** Which objects of a kind. */
export interface Selection extends CallOptions {
  /** Only objects of this namespace; all namespaces without it. */
  readonly namespace?: string | undefined;
  /**
   * Labels an object must carry; a selector as objects have it in `spec.selector`; or one in the server's syntax:
   * `app=db,tier in (a, b),!canary`.
   */
  readonly labels?: string | LabelSelector | { readonly [label: string]: string | undefined } | undefined;
  /**
   * Fields an object must have, by equality. Live reads take what the server knows (`metadata.name`, `spec.nodeName`
   * for pods, …); cached reads take `metadata.name`, `metadata.namespace` and the indexes added to the cache.
   */
  readonly fields?: { readonly [field: string]: string | undefined } | undefined;
}

/** How to read one object. */
export interface ReadOptions extends CallOptions {
  /** Ask the server, not the cache. */
  readonly live?: boolean | undefined;
}

/** How to read many objects. */
export interface ListOptions extends Selection {
  /** Ask the server, not the cache. Long lists are read in pages. */
  readonly live?: boolean | undefined;
  /** Stop after this many objects. */
  readonly limit?: number | undefined;
}

/** How a live list is read. */
export interface PageOptions extends Selection {
  /** Objects on one page; 500 unless said otherwise. */
  readonly pageSize?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** How to watch. */
export interface WatchOptions extends Selection {
  /** Report changes after this version; without it, objects that are there come first as `ADDED`. */
  readonly resourceVersion?: string | undefined;
  /** Ask for `BOOKMARK` events; they only carry a version. */
  readonly bookmarks?: boolean | undefined;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number | undefined;
}

/** How to write. */
export interface WriteOptions extends CallOptions {
  /** Who sets the fields; the client's own name for it unless said otherwise. */
  readonly fieldManager?: string | undefined;
  /** Let the server check and answer, but store nothing. */
  readonly dryRun?: boolean | undefined;
  /** What the server does with fields that the kind doesn't have: it warns, unless said otherwise. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

/** How to create. */
export interface CreateOptions extends WriteOptions {
  /**
   * The object that controls the new one, so that deleting it deletes this one too. Its namespace is used if the new
   * object has none.
   */
  readonly owner?: Owner | undefined;
}

/** How to change an object that was read before. */
export interface PatchOptions extends WriteOptions {
  /** Refuse with a conflict if the object changed since it was read. On unless turned off; raw patches never check. */
  readonly optimisticLock?: boolean | undefined;
}

/** How to apply. */
export interface ApplyOptions extends CreateOptions {
  /**
   * The object that controls this one, as with `create`. If another object controls it already, `apply` throws an
   * `ApiError` with `isAlreadyOwned`, and changes nothing.
   */
  readonly owner?: Owner | undefined;
  /** Take the object over from the one that controls it. */
  readonly adopt?: boolean | undefined;
  /**
   * Leave alone what is there and nobody controls, unless it has all labels of the desired object: `apply` throws an
   * `ApiError` with `isAlreadyOwned` then, too. Without it, such an object is taken over.
   */
  readonly leaveStrangers?: boolean | undefined;
  /** Send it even where the cache says that it would change nothing: caches don't know who else manages a field. */
  readonly live?: boolean | undefined;
  /** Take fields over from other managers; on unless turned off, then a conflict is thrown. */
  readonly force?: boolean | undefined;
}

/** An object that can own others: stored, so that it has a name and a uid. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
  };
}

/** How to delete. */
export interface DeleteOptions extends CallOptions {
  /** Delete only this very object: refused with a conflict if uid or version differ. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  /** What becomes of the objects that this one owns. */
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Which objects to delete, and how. */
export interface DeleteAllOptions extends Selection, Omit<DeleteOptions, "preconditions"> {}
