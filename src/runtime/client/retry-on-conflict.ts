import { ApiError } from "../errors/api-error.ts";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { wait } from "../clock/wait.ts";

/** Options of `retryOnConflict`. */
export interface RetryOptions {
  /** Maximum number of attempts. Default: 5. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Clock for the delays: `manager.clock` in an operator. Default: the system time. */
  readonly clock?: Clock | undefined;
}

/**
 * Calls a function again when it throws a conflict, after a short, growing delay. The function must read the object
 * again each time. A conflict of field managers is thrown at once. A reconcile doesn't need this: a conflict thrown
 * there requeues the request.
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
