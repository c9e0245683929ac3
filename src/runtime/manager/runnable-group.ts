import type { Clock } from "@tsbuilder/apimachinery/time";
import { onAbort } from "../clock/waits.ts";
import type { Logger } from "../log/logger.ts";

/** Anything that runs as long as the manager: a poller, a server, a migration. */
export interface Runnable {
  /** For messages. */
  readonly name: string;
  /** Wait until the lease is held. Default: true. */
  readonly needLeaderElection?: boolean | undefined;
  /**
   * Runs until it is done or the signal is aborted. Returning early is not a failure. A rejection stops the manager,
   * which reports it.
   */
  start(context: RunContext): Promise<void> | void;
}

/** The argument of `Runnable.start`. */
export interface RunContext {
  /** Aborted when the manager stops; `start` should finish its work and return. */
  readonly signal: AbortSignal;
  /** Aborted when the manager's time to stop is over: runnables that still run are abandoned. */
  readonly deadline: AbortSignal;
  readonly log: Logger;
}

/**
 * Runnables that start and stop together. One that is added while the group runs starts at once. Failures are reported
 * when they happen.
 */
export class RunnableGroup {
  readonly #clock: Clock;
  readonly #onFailure: (error: Error) => void;
  readonly #waiting: Runnable[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #context: Omit<RunContext, "signal"> | undefined;

  constructor(clock: Clock, onFailure: (error: Error) => void) {
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  add(runnable: Runnable): void {
    if (this.#context) this.#run(runnable, this.#context);
    else this.#waiting.push(runnable);
  }

  /** Forgets a runnable that waits for the start. */
  forget(runnable: Runnable): void {
    const at = this.#waiting.indexOf(runnable);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  start(context: Omit<RunContext, "signal">): void {
    if (this.#stopping.signal.aborted) return;
    this.#context = context;
    for (const runnable of this.#waiting.splice(0)) this.#run(runnable, context);
  }

  /**
   * Stops all runnables, and resolves when they have ended, or a moment after the deadline, so that runnables that
   * respect their signal can end. Returns true if all have ended.
   */
  async stop(deadline: AbortSignal, momentAfter: number): Promise<boolean> {
    this.#waiting.length = 0;
    this.#stopping.abort();
    let forget = (): void => {};
    const tooLate = new Promise<void>((resolve) => {
      const wait = (): void => void (forget = this.#clock.setTimer(resolve, momentAfter));
      if (deadline.aborted) wait();
      else forget = onAbort(deadline, wait);
    });
    await Promise.race([Promise.all(this.#running), tooLate]);
    forget();
    return this.#running.size === 0;
  }

  #run(runnable: Runnable, context: Omit<RunContext, "signal">): void {
    const { signal } = this.#stopping;
    const run = (async () => {
      try {
        await runnable.start({ ...context, signal });
      } catch (error) {
        // A runnable may reject with the abort reason when it is stopped.
        if (
          signal.aborted &&
          (error === signal.reason || (error as Error | undefined)?.name === "AbortError")
        )
          return;
        this.#onFailure(new Error(`${runnable.name} failed: ${messageOf(error)}`, { cause: error }));
      }
    })();
    this.#running.add(run);
    void run.then(() => this.#running.delete(run));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
