import type { Duration } from "@tsbuilder/apimachinery/meta";
import type { CallbackError } from "../callbacks/callback-error.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Logger } from "../log/logger.ts";

/**
 * A source of requests that no watched object causes: a message queue, a cloud API that is polled, a timer. `start`
 * resolves when the initial requests have been enqueued; the controller processes them from then on. The signal stops
 * the source.
 */
export interface Source<R> {
  /** For messages. */
  readonly name: string;
  /**
   * Whether the source may start before this process holds the lease. True for sources that only observe, like a watch.
   * A source that consumes what it enqueues, like a message queue, must wait for the lease. Default: false.
   */
  readonly beforeLease?: boolean | undefined;
  start(enqueue: Enqueue<R>, context: SourceContext): Promise<void> | void;
}

/**
 * Enqueues a request. One that is already queued is not added twice: the earlier time and the higher priority apply.
 */
export type Enqueue<R> = (request: R, options?: EnqueueOptions) => void;

/** When and with which priority a request runs. */
export interface EnqueueOptions {
  readonly after?: Duration | undefined;
  /** Higher runs first. Default: 0; initial objects and resyncs have -100. */
  readonly priority?: number | undefined;
  /** What caused it, for diagnostics channels: `push to main`. Default: the watched object, or the source's name. */
  readonly cause?: string | undefined;
}

/** What a source gets when it starts. */
export interface SourceContext {
  readonly signal: AbortSignal;
  /** Aborted when the start exceeds `cacheSyncTimeout`. */
  readonly patience: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /** Milliseconds after which a call that is still running is logged: the controller's `stuckAfter`. */
  readonly stuckAfter: number;
  /** Logs and counts the failure of a function that the source was given. */
  readonly report: (error: CallbackError) => void;
}
