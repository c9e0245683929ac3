import { ApiError } from "../errors/api-error.ts";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { wait } from "../clock/wait.ts";

/** How to retry. */
export interface RetryOptions {
  /** How often to try in all; 5 unless said otherwise. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Times the waits; `manager.clock` in an operator whose tests move it. */
  readonly clock?: Clock | undefined;
}

/**
 * Calls a function again when it throws a conflict, after a short and growing wait. The function must read the object
 * afresh each time. In a reconcile it is not needed: a conflict thrown there requeues the request quietly.
 */
export async function retryOnConflict<R>(
  attempt: () => Promise<R>,
  { attempts = 5, signal, clock = systemClock }: RetryOptions = {},
): Promise<R> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isConflict || failures + 1 >= attempts) throw error;
      // The watch needs a moment to tell what won; others retry too.
      await wait(clock, 10 * 2 ** failures * (1 + Math.random()), signal);
    }
  }
}
