/**
 * How long a test may take, in milliseconds. These are the only limits: a wait for a state has none of its own and
 * fails at once when the process that it watches has ended, so only what hangs reaches them.
 */
export const limits = {
  /** Unit tests move clocks; the slowest takes ten seconds on two busy cores. */
  unit: 120_000,
  /** Journeys run processes; the slowest, with its hooks, takes a minute and a half on two busy cores. */
  journey: 300_000,
  /** Tests that install npm packages, compile Go programs or run 20 s of quiet again and again. */
  build: 600_000,
} as const;

/**
 * The `--timeout` of a program that waits in a test, such as kubectl or helm: it is a little shorter than the test's
 * limit, so that the program says what it waited for, and ends.
 */
export const timeoutIn = {
  unit: timeoutBelow(limits.unit),
  journey: timeoutBelow(limits.journey),
  build: timeoutBelow(limits.build),
} as const;

function timeoutBelow(limit: number): string {
  return `${limit / 1000 - 20}s`;
}
