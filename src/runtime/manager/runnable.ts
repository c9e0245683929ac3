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

/** What a runnable gets when it starts. */
export interface RunContext {
  /** Aborted when the manager stops; `start` should finish its work and return. */
  readonly signal: AbortSignal;
  /** Aborted when the manager's time to stop is over: whatever is still running is abandoned. */
  readonly deadline: AbortSignal;
  readonly log: Logger;
}
