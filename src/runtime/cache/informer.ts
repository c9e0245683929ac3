import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { DeepReadonly, ObjectKey } from "../client/objects.ts";
import type { Selection } from "../client/options.ts";
import { ApiError } from "../errors/api-error.ts";

/**
 * Keeps the objects of one kind as they are on the server, and notifies subscribers of changes. All controllers of a
 * manager share one informer per kind. Objects are frozen.
 */
export interface Informer<T extends KubernetesObject = KubernetesObject> {
  readonly kind: Kind<T>;

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
  subscribe(handler: InformerHandler<DeepReadonly<T>>, options?: SubscribeOptions): Subscription;

  /** Returns true if the informer watches this namespace; `get` throws for any other. */
  covers(namespace: string | undefined): boolean;

  /** Reads an object, including writes of this process. */
  get(key: ObjectKey): DeepReadonly<T> | undefined;

  /** Reads objects, including writes of this process; `fields` uses indexes. */
  list(selection?: Omit<Selection, "signal">): DeepReadonly<T>[];

  /**
   * Adds an index: `values` returns the values under which `list({ fields: { [name]: value } })` finds an object. May
   * be called at any time. Throws if the index exists.
   */
  addIndex(name: string, values: (object: DeepReadonly<T>) => readonly string[]): void;

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

/** Handles changes. */
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
  replay(matches: (object: DeepReadonly<KubernetesObject>) => boolean): void;

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
