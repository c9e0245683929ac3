import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { wait } from "../clock/waits.ts";
import { ApiError } from "../errors/api-error.ts";
import type {
  Client,
  Desired,
  MutateFn,
  NamespacedName,
  ObjectKey,
  Stored,
  WithoutStatus,
  WriteOptions,
} from "./client.ts";

/** The object that `createOrUpdate` lets a function edit: a new one has only its key, apiVersion and kind. */
export type PartialObject<T extends KubernetesObject> = Pick<T, "apiVersion" | "kind" | "metadata"> &
  Partial<T>;

/** The result of `createOrUpdate`. */
export interface CreateOrUpdateResult<T extends KubernetesObject, Key extends ObjectKey = NamespacedName> {
  readonly object: Stored<T, Key>;
  readonly result: "created" | "updated" | "unchanged";
}

/**
 * Reads an object, lets `change` edit it, and creates it if it doesn't exist or sends the difference, if any. Throws a
 * conflict if the object has changed since it was read. `client.apply` needs no read and is better for shared objects;
 * use this for changes that depend on the current state.
 */
export async function createOrUpdate<T extends KubernetesObject, Key extends ObjectKey>(
  client: Client,
  kind: Kind<T, Key>,
  key: NoInfer<Key>,
  change: MutateFn<PartialObject<T>>,
  options: WriteOptions = {},
): Promise<CreateOrUpdateResult<T, Key>> {
  const current = await client.find(kind, key, { signal: options.signal });
  if (!current) {
    const draft = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { ...key } } as PartialObject<T>;
    change(draft);
    const object = await client.create(kind, draft as unknown as Desired<T, Key>, options);
    return { object, result: "created" };
  }
  const object = await client.patch(kind, current, change as MutateFn<WithoutStatus<T>>, options);
  return { object, result: object === current ? "unchanged" : "updated" };
}

/** Options of `retryOnConflict`. */
export interface RetryOptions {
  /** Maximum number of attempts. Default: 5. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Clock for the delays: `manager.clock` in an operator. Default: the system time. */
  readonly clock?: Clock | undefined;
}

/**
 * Calls a function again when it throws a conflict, after a short, growing delay. The function must read the object each
 * time. A conflict of field managers is thrown at once. Reconciles don't need this: a conflict requeues their request.
 */
export async function retryOnConflict<R>(
  attempt: () => Promise<R>,
  { attempts = 5, signal, clock = systemClock }: RetryOptions = {},
): Promise<R> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const isStale = error instanceof ApiError && error.isConflict && !error.isFieldManagerConflict;
      if (!isStale || failures + 1 >= attempts) throw error;
      // The watch needs a moment to deliver the change, and other clients retry too.
      await wait(clock, 10 * 2 ** failures * (1 + Math.random()), signal);
    }
  }
}
