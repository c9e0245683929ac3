import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type Client, type Stored, type ObjectKey, formatKey, keyOf } from "../client/client.ts";
import { isMissingObject } from "../client/live-reader.ts";
import { ApiError } from "../errors/api-error.ts";
import { currentCallContext, runInCallContext } from "../scope/scope.ts";
import type { Cleanup, Context, Reconciler, Result } from "./reconciler.ts";

/** The finalizers of a controller, and its treatment of objects that are being deleted. */
interface DeletionPolicy<T extends KubernetesObject, Key extends ObjectKey> {
  readonly kind: Kind<T, Key>;
  /** In the order in which they are called. */
  readonly finalizers: readonly { readonly name: string; readonly cleanup: Cleanup<T, Key> }[];
  readonly whileDeleting: boolean;
}

/**
 * Handles deletion before `reconcile`: an object gets its finalizers before its first reconcile. While it is being
 * deleted, the cleanups are called in order instead, and each finalizer is removed once its cleanup succeeds.
 */
export function deletionAware<T extends KubernetesObject, Key extends ObjectKey>(
  client: Client,
  policy: DeletionPolicy<T, Key>,
  reconciler: Reconciler<Key>,
): Reconciler<Key> {
  const { kind, finalizers, whileDeleting } = policy;
  const names = finalizers.map(({ name }) => name);
  const finalized = finalizedObjects(client, kind, names);

  /** A write to an object that is gone is not a failure: the cache was stale, and the deletion enqueues a request. */
  async function reconcile(request: Key, context: Context): Promise<Result> {
    try {
      return await reconcileOrCleanUp(request, context);
    } catch (error) {
      if (!isNotFoundOf(error, kind, request)) throw error;
      context.log.debug("Object was deleted meanwhile", { error });
    }
  }

  async function reconcileOrCleanUp(request: Key, context: Context): Promise<Result> {
    const object = await client.find(kind, request);
    if (!object) finalized.forget(request);
    else if (finalized.isGone(object)) return;
    else if (object.metadata.deletionTimestamp !== undefined) {
      const wait = await cleanUp(object, context);
      if (wait || !whileDeleting) return wait;
    } else if (finalizers.length > 0) {
      await addFinalizers(object, context);
      return await finalized.checkBeforeWrite(object, () => reconciler.reconcile(request, context));
    }
    return await reconciler.reconcile(request, context);
  }

  async function addFinalizers(object: Stored<T, Key>, { log }: Context): Promise<void> {
    const present = object.metadata.finalizers ?? [];
    const missing = names.filter((name) => !present.includes(name));
    if (missing.length === 0) return;
    await client.patch(kind, object, ({ metadata }) => {
      metadata.finalizers = [...present, ...missing];
    });
    finalized.note(object, { isGone: false });
    log.debug("Added finalizers", { finalizers: missing });
  }

  /** Returns the result of a cleanup that has to wait; undefined if all finalizers of this controller are removed. */
  async function cleanUp(object: Stored<T, Key>, context: Context): Promise<Result> {
    let current = object;
    const present = names.filter((name) => object.metadata.finalizers?.includes(name));
    if (present.length > 0 && !(await finalized.has(object, present))) return;
    for (const { name, cleanup } of finalizers) {
      if (!current.metadata.finalizers?.includes(name)) continue;
      const result = await cleanup(current, context);
      if (result?.requeueAfter !== undefined) return result;
      const updated = await removeFinalizer(current, name);
      context.log.info("Cleaned up and removed finalizer", { finalizer: name });
      if (!updated) return;
      current = updated;
    }
  }

  /**
   * Removes a finalizer. Returns the object; undefined if it is gone. Reads it first, because its cleanup may have
   * changed it. The patch includes the resourceVersion, so that finalizers of other controllers aren't lost.
   */
  async function removeFinalizer(object: Stored<T, Key>, name: string): Promise<Stored<T, Key> | undefined> {
    try {
      const latest = await client.find(kind, keyOf(object) as Key);
      if (!latest || latest.metadata.uid !== object.metadata.uid) return undefined;
      const updated = await client.patch(kind, latest, ({ metadata }) => {
        metadata.finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== name);
      });
      if (!updated.metadata.finalizers?.length) finalized.note(updated, { isGone: true });
      return updated;
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  }

  return { reconcile };
}

/**
 * Remembers which objects have the finalizers of this controller on the server. When a process starts or takes over the
 * lease, its cache may be older than the removal of a finalizer by another process. Dependents created for such an
 * object would never be cleaned up, and its cleanup might delete the dependents of the next object of that name.
 */
function finalizedObjects<T extends KubernetesObject, Key extends ObjectKey>(
  client: Client,
  kind: Kind<T, Key>,
  names: readonly string[],
) {
  /** By key. While this process leads, only it removes the finalizers, so each object is read once. */
  const records = new Map<string, { readonly uid: string | undefined; readonly isGone: boolean }>();

  function recordOf(object: Stored<T, Key>) {
    const found = records.get(formatKey(keyOf(object)));
    return found?.uid === object.metadata.uid ? found : undefined;
  }

  /**
   * Notes that the server has the object, with the finalizers; or that the last finalizer was removed. The response to
   * that request has the previous version, so the cache doesn't know that the object is gone until the watch reports it.
   * Cleanup must not run again in the meantime.
   */
  function note(object: Stored<T, Key>, { isGone }: { readonly isGone: boolean }): void {
    records.set(formatKey(keyOf(object)), { uid: object.metadata.uid, isGone });
  }

  /** Returns true if the server has the object, with the finalizers. */
  async function has(object: Stored<T, Key>, finalizers = names): Promise<boolean> {
    if (recordOf(object)) return true;
    const { namespace, name } = object.metadata;
    // A list of one object, because operators may list the kinds that they watch, but not all have the verb get.
    const fields = { "metadata.name": name };
    const [found] = await client.list(kind, { namespace, fields, live: true });
    const { uid, finalizers: present = [] } = found?.metadata ?? {};
    const isThere = uid === object.metadata.uid && finalizers.every((name) => present.includes(name));
    if (isThere) note(object, { isGone: false });
    return isThere;
  }

  /** Throws a NotFound error unless the server has the object, with all finalizers. */
  async function assertThere(object: Stored<T, Key>): Promise<void> {
    if (await has(object)) return;
    const { plural: resource, group } = kind;
    const { name } = object.metadata;
    const message = `${kind.kind} ${formatKey(keyOf(object))} was deleted, or lost its finalizers: nothing is written for it`;
    throw new ApiError({ code: 404, reason: "NotFound", message, details: { name, kind: resource, group } });
  }

  /** Runs a function. Before its first write, the object is read from the server, unless it is known to be there. */
  function checkBeforeWrite<R>(object: Stored<T, Key>, run: () => R): R {
    if (recordOf(object)) return run();
    let check: Promise<void> | undefined;
    const beforeWrite = (): Promise<void> => (check ??= assertThere(object));
    return runInCallContext({ ...currentCallContext(), beforeWrite }, run);
  }

  return {
    note,
    has,
    checkBeforeWrite,
    forget: (key: ObjectKey): void => void records.delete(formatKey(key)),
    isGone: (object: Stored<T, Key>): boolean => recordOf(object)?.isGone ?? false,
  };
}

/** Returns true for a NotFound error about the requested object itself. */
function isNotFoundOf(error: unknown, { plural, group }: Kind, { name }: ObjectKey): boolean {
  if (!(error instanceof ApiError) || !error.isNotFound) return false;
  const { details } = error.body;
  return details?.name === name && details.kind === plural && (details.group ?? "") === group;
}
