import type { DurationLike, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { NamespacedName, ObjectKey, Stored } from "../client/client.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Logger } from "../log/logger.ts";

/**
 * Moves the actual state towards the desired state of one object.
 *
 * A request is the key of an object: a `NamespacedName`, or a `ClusterScopedName` if the kind has no namespaces. It doesn't
 * say what happened: many changes may result in one request, and a request may come without any change. So read the object,
 * compare it with the actual state, and make the changes that are missing.
 * Two reconciles of the same request never run concurrently.
 *
 * The result determines what happens next:
 * - returns nothing: done until something changes;
 * - returns `{ requeueAfter }`: runs again after that time, or earlier if something changes; a time that is not
 *   positive is logged, and it runs again with the delays of an error;
 * - throws a conflict (`ApiError` 409): retried soon and logged at debug level only, because the object had changed
 *   since it was read; a conflict of field managers counts as an error;
 * - throws a `TerminalError`: logged, and not retried until something changes;
 * - throws anything else: logged, and retried after 5 ms, doubling up to 1000 s.
 *
 * Objects that are being deleted are passed to the controller's finalizers instead.
 */
export interface Reconciler<R = ObjectKey> {
  reconcile(request: R, context: Context): Promise<Result> | Result;
}

/** The second argument of `reconcile`. */
export interface Context {
  /** Adds the controller, the object and the reconcileID to each line. */
  readonly log: Logger;
  /**
   * Aborted when the reconcile exceeds its timeout, or when the manager's graceful shutdown timeout is over. Client
   * calls are aborted with it.
   */
  readonly signal: AbortSignal;
  readonly events: EventRecorder;
}

/** When to run next. */
export type Result = void | {
  /** Run again after this time: `"30s"`, `"1h30m"`, `{ seconds: 90 }`. */
  readonly requeueAfter?: DurationLike | undefined;
  /** The priority of that run, higher first. Default: the priority of this request. */
  readonly priority?: number | undefined;
};

/**
 * Cleans up after an object that is being deleted. When it returns nothing, the finalizer is removed. With `{
 * requeueAfter }` or an error the finalizer stays, and the function is called again. It must be idempotent.
 */
export type Cleanup<T extends KubernetesObject, Key extends ObjectKey = NamespacedName> = (
  object: Stored<T, Key>,
  context: Context,
) => Promise<Result> | Result;
