import type { Duration, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ObjectKey } from "../client/object-key.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Logger } from "../log/logger.ts";

/**
 * Moves the world towards what one object asks for.
 *
 * A request says which object, never what happened to it: many changes make one request, and a request may come
 * without any change. So read the object, compare it with what is there, and do what is missing. The same request
 * never runs twice at the same time.
 *
 * How it ends decides what comes next:
 * - returns nothing: done until something changes;
 * - returns `{ requeueAfter }`: runs again after that time, or earlier if something changes;
 * - throws a conflict (`ApiError` 409): runs again soon, without a word in the log: what was read had changed;
 * - throws a `TerminalError`: logged, and not tried again until something changes;
 * - throws anything else: logged, and tried again after 5 ms, doubling up to 1000 s.
 *
 * An object that is being deleted never gets here: it goes to the controller's finalizer.
 */
export interface Reconciler<R = Request> {
  reconcile(request: R, context: Context): Promise<Result> | Result;
}

/** Which object is to be reconciled. */
export interface Request extends ObjectKey {}

/** What a reconcile works with. */
export interface Context {
  /** Adds the controller, the object and the reconcileID to each line. */
  readonly log: Logger;
  /** Aborted when the reconcile took too long, or when the manager's time to stop is over. Client calls end with it. */
  readonly signal: AbortSignal;
  readonly events: EventRecorder;
}

/** What comes next. */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconcile that has nothing to say returns nothing.
export type Result = void | {
  /** Run again after this time: `30s`, `1h30m`. */
  readonly requeueAfter?: Duration | undefined;
  /** The place of that run in the queue, higher first; the request's own unless given. */
  readonly priority?: number | undefined;
};

/**
 * Undoes what belongs to an object that is being deleted. When it returns nothing, the finalizer is removed and
 * the object may go; with `{ requeueAfter }` or an error it stays, and this is called again. Must cope with being
 * called twice, and with things that are gone already.
 */
export type Cleanup<T extends KubernetesObject> = (object: T, context: Context) => Promise<Result> | Result;
