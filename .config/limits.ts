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
