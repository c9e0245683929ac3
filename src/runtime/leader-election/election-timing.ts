import { TerminalError } from "../errors/terminal-error.ts";
import { readDuration } from "../clock/read-duration.ts";
import type { LeaderElectionOptions } from "./leader-election-options.ts";

/** The timing of an election in milliseconds. */
export interface ElectionTiming {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /** A single request that hangs must not cost the lease. */
  readonly requestTimeout: number;
}

/** Delays between attempts to acquire are up to this factor longer, so that candidates don't collide. */
export const jitter = 1.2;

/**
 * Parses the timing, with client-go's defaults and validation: otherwise a lease could expire while it is being
 * renewed.
 */
export function electionTiming(
  options: Pick<LeaderElectionOptions, "id" | "leaseDuration" | "renewDeadline" | "retryPeriod">,
  name = "leaderElection",
): ElectionTiming {
  const leaseDuration = readDuration(`${name}.leaseDuration`, options.leaseDuration ?? "15s");
  const renewDeadline = readDuration(`${name}.renewDeadline`, options.renewDeadline ?? "10s");
  const retryPeriod = readDuration(`${name}.retryPeriod`, options.retryPeriod ?? "2s");
  if (leaseDuration <= renewDeadline)
    throw new TerminalError(`${name}: leaseDuration must be longer than renewDeadline`);
  if (renewDeadline <= jitter * retryPeriod)
    throw new TerminalError(`${name}: renewDeadline must be longer than ${jitter} times retryPeriod`);
  // A Lease holds whole seconds, at least one.
  if (leaseDuration < 1000) throw new TerminalError(`${name}: leaseDuration must be at least 1s`);
  return { leaseDuration, renewDeadline, retryPeriod, requestTimeout: Math.max(1000, renewDeadline / 2) };
}
