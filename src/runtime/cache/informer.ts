import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ObjectKey } from "../client/object-key.ts";
import type { Selection } from "../client/options.ts";

/**
 * Keeps the objects of one kind as the server has them, and tells subscribers what changes. One informer serves all
 * controllers of a manager. Objects are frozen.
 */
export interface Informer<T extends KubernetesObject = KubernetesObject> {
  readonly kind: Kind<T>;

  /** Whether the first list is in the store. Subscriptions have a `hasSynced` of their own. */
  readonly hasSynced: boolean;

  /** Resolves when the first list is in the store; rejects with the signal's reason, or when the informer is removed. */
  synced(signal?: AbortSignal): Promise<void>;

  /**
   * Calls the handler for every change, in the order the server made them, one at a time: a handler that returns a
   * promise is awaited before its next event. Objects that are there already come first, as `add` with
   * `isInInitialList`. What a handler throws is reported and never ends the informer.
   */
  subscribe(handler: InformerHandler<T>, options?: SubscribeOptions): Subscription;

  /** Reads an object, this process's own writes included. */
  get(key: ObjectKey): T | undefined;

  /** Reads objects, this process's own writes included; by `fields` through indexes. */
  list(selection?: Omit<Selection, "signal">): T[];

  /**
   * Adds an index: `values` names the values under which an object is found by `list({ fields: { [name]: value } })`.
   * May be called at any time; the same name twice throws.
   */
  addIndex(name: string, values: (object: T) => readonly string[]): void;

  readonly stats: InformerStats;
}

/** What changed. Objects are frozen, and the same for all subscribers. */
export type InformerEvent<T extends KubernetesObject = KubernetesObject> =
  | {
      readonly type: "add";
      readonly object: T;
      readonly isInInitialList: boolean;
      /** True if this process made the object. */
      readonly isOwnWrite: boolean;
    }
  | {
      readonly type: "update";
      readonly oldObject: T;
      readonly object: T;
      /** True if nothing changed: the object is told again after the resync period. */
      readonly isResync: boolean;
      /**
       * True if this process wrote exactly this version. What others change has events of its own, so a subscriber
       * may pass over its own writes without missing anything.
       */
      readonly isOwnWrite: boolean;
    }
  | {
      readonly type: "delete";
      readonly object: T;
      /** True if the deletion itself was missed, so that `object` may be older than what was deleted. */
      readonly isStateUnknown: boolean;
    };

/** Receives the changes. */
export type InformerHandler<T extends KubernetesObject = KubernetesObject> = (
  event: InformerEvent<T>,
) => void | Promise<void>;

/** How to subscribe. */
export interface SubscribeOptions {
  /** Tell every object again as an update after this many milliseconds (±10 %); never unless given. At least 1000. */
  readonly resyncPeriod?: number | undefined;
}

/** One handler's place at an informer. */
export interface Subscription {
  /** Whether the handler has finished with every object of the first list. */
  readonly hasSynced: boolean;

  /** Resolves when `hasSynced` turns true; rejects with the signal's reason, or when it is cancelled before. */
  synced(signal?: AbortSignal): Promise<void>;

  /** Ends the calls; one that runs is not waited for. */
  unsubscribe(): void;
}

/** What an informer can tell about itself, for metrics and health. */
export interface InformerStats {
  readonly objects: number;
  /** Length of the objects' JSON as it came over the wire, transforms not deducted. */
  readonly bytes: number;
  /** Milliseconds since anything came from the server, bookmarks included; undefined before the first answer. */
  readonly lastEventAge: number | undefined;
  /** Full lists after the first. */
  readonly relists: number;
  readonly watchErrors: number;
  /** What went wrong last, until the next success: an `ApiError` with `isForbidden` points at missing RBAC rules. */
  readonly lastError: Error | undefined;
}
