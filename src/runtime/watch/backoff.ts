import type { ApiError } from "../errors/api-error.ts";

/** The first delay after a failure, in milliseconds. */
const first = 800;
/** The longest delay. */
const longest = 30_000;
/** After this many milliseconds without a failure the delays start over. */
const calm = 120_000;

/** What is remembered of failures. */
export interface Backoff {
  readonly failures: number;
  readonly lastFailure: number;
}

export const noFailures: Backoff = { failures: 0, lastFailure: -Infinity };

/** Whether the server asks to send the same request later. */
export function asksForPatience({ status, retryAfterSeconds }: ApiError): boolean {
  return status === 429 || retryAfterSeconds !== undefined;
}

/**
 * Counts a failure and computes the delay, which doubles each time, and is at least as long as the server asks. Half of
 * it is random.
 */
export function backOff(
  { failures, lastFailure }: Backoff,
  { retryAfterSeconds = 0 }: ApiError,
  { now, random }: { readonly now: number; readonly random: number },
): { readonly backoff: Backoff; readonly milliseconds: number } {
  const earlier = now - lastFailure > calm ? 0 : failures;
  const span = Math.min(longest, first * 2 ** Math.min(earlier, 16));
  return {
    backoff: { failures: earlier + 1, lastFailure: now },
    // Otherwise all clients of a server that recovers would send their requests at the same time.
    milliseconds: Math.max(Math.round(span * (0.5 + random / 2)), retryAfterSeconds * 1000),
  };
}
