import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { CallbackError, stillRuns, eachDespiteErrors } from "../callbacks/callbacks.ts";
import type { ObjectKey } from "../client/client.ts";
import type { Logger } from "../log/logger.ts";
import { onAbort, readDuration } from "../clock/waits.ts";
import { TerminalError } from "../errors/api-error.ts";

/**
 * A source of requests that no watched object causes: a message queue, a polled cloud API, a timer. `start` resolves when
 * the initial requests are enqueued; the controller processes them from then on. The signal stops the source.
 */
export interface Source<R> {
  /** For messages. */
  readonly name: string;
  /**
   * True if the source may start before this process holds the lease, as sources may that only observe, like a watch.
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
  readonly after?: DurationLike | undefined;
  /** Higher runs first. Default: 0; initial objects and resyncs have -100. */
  readonly priority?: number | undefined;
  /** The cause, for diagnostics channels: `push to main`. Default: the watched object, or the source's name. */
  readonly cause?: string | undefined;
  /** The object that the cause is about, whose key is added to it. */
  readonly about?: Partial<ObjectKey> | undefined;
}

/** The second argument of `Source.start`. */
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

/** Options of `intervalSource`. */
export interface IntervalOptions<R> {
  /** Time between the end of one round and the start of the next. */
  readonly every: DurationLike;
  /** Returns what should be reconciled now, from a cloud API or a constant list. An error is logged. */
  readonly requests: (signal: AbortSignal) => readonly R[] | Promise<readonly R[]>;
  readonly name?: string | undefined;
}

/** Enqueues requests periodically, for external state that sends no events. The first round is at the start. */
export function intervalSource<R>({
  every,
  requests,
  name = `every ${typeof every === "string" ? every : JSON.stringify(every)}`,
}: IntervalOptions<R>): Source<R> {
  const milliseconds = readDuration(`every of source "${name}"`, every);
  if (milliseconds <= 0)
    throw new TerminalError(`every of source "${name}" is ${JSON.stringify(every)}: it must be positive`);
  return {
    name,
    async start(enqueue, { signal, clock, stuckAfter, report }) {
      let cancel = () => {};
      onAbort(signal, () => cancel());
      const fail = (error: unknown) =>
        report(new CallbackError("source", `the function of source "${name}"`, error));
      const round = async () => {
        cancel = clock.setTimer(() => fail(new Error(stillRuns(stuckAfter))), stuckAfter);
        try {
          eachDespiteErrors(await requests(signal), enqueue);
        } catch (error) {
          if (!signal.aborted) fail(error);
        }
        cancel();
        if (!signal.aborted) cancel = clock.setTimer(() => void round(), milliseconds);
      };
      await round();
    },
  };
}

/**
 * Lets code outside of controllers request reconciles: an HTTP handler, a message consumer, another controller.
 * Requests sent before the controller starts are kept. The queue drops nothing and holds each request once.
 */
export class RequestChannel<R> implements Source<R> {
  readonly name: string;
  /** True because requests sent in this process are for this process, and may wait in its queue until it leads. */
  readonly beforeLease = true;
  readonly #waiting: (readonly [R, EnqueueOptions | undefined])[] = [];
  #enqueue: Enqueue<R> | undefined;

  constructor(name = "channel") {
    this.name = name;
  }

  send(request: R, options?: EnqueueOptions): void {
    if (this.#enqueue) this.#enqueue(request, options);
    else this.#waiting.push([request, options]);
  }

  start(enqueue: Enqueue<R>): void {
    this.#enqueue = enqueue;
    for (const [request, options] of this.#waiting.splice(0)) enqueue(request, options);
  }
}
