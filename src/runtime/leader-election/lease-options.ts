import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import { readDuration } from "../clock/waits.ts";
import { podNamespace } from "../config/load-config.ts";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { ClusterConfig } from "../http/config.ts";

/** Options for electing the process that runs the controllers. The defaults are client-go's: both can share a lease. */
export interface LeaderElectionOptions {
  /** The name of the Lease. */
  readonly id: string;
  /** The namespace of the Lease. Default: the pod's own. */
  readonly namespace?: string | undefined;
  /** How long others wait before they take over a lease that is no longer renewed. Default: `15s`. */
  readonly leaseDuration?: DurationLike | undefined;
  /** How long the holder tries to renew before it gives up. Default: `10s`. */
  readonly renewDeadline?: DurationLike | undefined;
  /** Time between attempts. Default: `2s`. */
  readonly retryPeriod?: DurationLike | undefined;
  /** Release the lease when the manager stops, so that the next process needn't wait. Default: true. */
  readonly releaseOnCancel?: boolean | undefined;
  /** Labels of the Lease. */
  readonly labels?: { readonly [name: string]: string } | undefined;
  /** The identity of this process. Default: the host name and a random part. */
  readonly identity?: string | undefined;
}

/** Options for sharing the objects among all processes of an operator. Times and defaults as in a leader election. */
export interface ShardingOptions extends Pick<
  LeaderElectionOptions,
  "id" | "namespace" | "leaseDuration" | "renewDeadline" | "retryPeriod" | "labels"
> {
  /**
   * The field whose hash decides which process an object belongs to: its own `uid`, which spreads the work most evenly,
   * or its `namespace`, with which owned objects are divided among the caches, too. Default: `uid`.
   */
  readonly by?: "uid" | "namespace" | undefined;
}

/** The timing of an election in milliseconds. */
export interface ElectionTiming {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /** The limit of a single request: one that hangs must not cost the lease. */
  readonly requestTimeout: number;
}

/** Delays between attempts to acquire are up to this factor longer, so that candidates don't collide. */
export const jitter = 1.2;

/**
 * Reads the timing, with client-go's defaults. Throws a `TerminalError` for what client-go refuses, too: a lease could
 * expire while it is being renewed. Messages name the options as fields of `name`.
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

/** A log field that names the verbs to allow, if RBAC forbids a request for a Lease. */
export function leaseHint(error: unknown, verbs: string): { readonly hint?: string } {
  if (!(error instanceof ApiError && error.isForbidden)) return {};
  return { hint: `the operator needs the verbs ${verbs} on leases.coordination.k8s.io` };
}

/**
 * Returns a function that finds the namespace of Leases: that of the options, the pod's, or the context's. It rejects
 * with a `TerminalError` if there is none.
 */
export function leaseNamespace(
  purpose: string,
  namespace: string | undefined,
  config: () => Promise<ClusterConfig>,
): () => Promise<string> {
  return async () => {
    const found = namespace ?? podNamespace() ?? (await config()).namespace;
    if (found) return found;
    throw new TerminalError(
      `${purpose} needs a namespace: outside of a cluster, give --leader-election-namespace`,
    );
  };
}
