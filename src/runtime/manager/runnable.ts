import type { Logger } from "../log/logger.ts";

/** Something that runs as long as the manager: a poller, a server, a migration. */
export interface Runnable {
  /** Stands in messages. */
  readonly name: string;
  /** Wait until the lease is held; true unless said otherwise. */
  readonly needLeaderElection?: boolean | undefined;
  /**
   * Runs until it is done or the signal is aborted. Returning early is no failure; a rejection ends the manager, which
   * reports it.
   */
  start(context: RunContext): Promise<void> | void;
}

/** What a runnable works with. */
export interface RunContext {
  /** Aborted when the manager stops; then `start` should finish what it does and return. */
  readonly signal: AbortSignal;
  /** Aborted when the manager's time to stop is over: whatever still runs is left behind. */
  readonly deadline: AbortSignal;
  readonly log: Logger;
}
