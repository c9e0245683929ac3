import type { Duration } from "@tsbuilder/apimachinery/meta";
import type { CallbackError } from "../callbacks/callback-error.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Logger } from "../log/logger.ts";

/**
 * Where requests come from that no watched object causes: a message queue, a poll of a cloud, a timer.
 * `start` resolves when what is known at the start has been handed over; the controller works from then on. It stops
 * by the signal.
 */
export interface Source<R> {
  /** Stands in messages. */
  readonly name: string;
  /**
   * Whether it may start in a process that still waits for the lease: a source that only looks, as a watch does. One
   * that takes what it hands over, as from a message queue, must not; it starts with the lease, unless this is true.
   */
  readonly beforeLease?: boolean | undefined;
  start(enqueue: Enqueue<R>, context: SourceContext): Promise<void> | void;
}

/** Asks for a reconcile. A request that waits already is not added twice: the earlier time and the higher priority count. */
export type Enqueue<R> = (request: R, options?: EnqueueOptions) => void;

/** When and how urgently a request is to run. */
export interface EnqueueOptions {
  readonly after?: Duration | undefined;
  /** Higher runs first; 0 unless said otherwise, -100 for objects that are there at the start and for resyncs. */
  readonly priority?: number | undefined;
}

/** What a source works with. */
export interface SourceContext {
  readonly signal: AbortSignal;
  /** Aborted when the start takes too long: `cacheSyncTimeout` is over. */
  readonly patience: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /** After so many milliseconds something that still runs is named in the log: the controller's `stuckAfter`. */
  readonly stuckAfter: number;
  /** Logs and counts that a function which the source was given failed, or doesn't end. */
  readonly report: (error: CallbackError) => void;
}
