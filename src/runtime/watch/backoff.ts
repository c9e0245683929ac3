/** The first wait after a failure, in milliseconds. */
const first = 800;
/** The longest wait. */
const longest = 30_000;
/** After this long without a failure the waits start over. */
const calm = 120_000;

/** What is remembered of failures. */
export interface Backoff {
  readonly failures: number;
  readonly lastFailure: number;
}

export const noFailures: Backoff = { failures: 0, lastFailure: -Infinity };

/** Counts a failure and says how long to wait: twice as long each time, with half of it left to chance. */
export function backOff(
  { failures, lastFailure }: Backoff,
  { now, random }: { readonly now: number; readonly random: number },
): { readonly backoff: Backoff; readonly milliseconds: number } {
  const earlier = now - lastFailure > calm ? 0 : failures;
  const span = Math.min(longest, first * 2 ** Math.min(earlier, 16));
  return {
    backoff: { failures: earlier + 1, lastFailure: now },
    // All clients of a server that comes back would ask it at the same moment otherwise.
    milliseconds: Math.round(span * (0.5 + random / 2)),
  };
}
