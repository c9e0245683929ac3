import type { LeaderElectionOptions } from "./leader-election-options.ts";

/**
 * Options for sharing the objects among all processes of an operator. The times mean what they do in a leader election,
 * and have the same defaults.
 */
export interface ShardingOptions extends Pick<
  LeaderElectionOptions,
  "id" | "namespace" | "leaseDuration" | "renewDeadline" | "retryPeriod" | "labels"
> {
  /**
   * What decides which process an object belongs to: its own `uid`, which spreads the work most evenly, or its
   * `namespace`, with which owned objects are divided among the caches, too. Default: `uid`.
   */
  readonly by?: "uid" | "namespace" | undefined;
}
