import type { Duration } from "@tsbuilder/apimachinery/meta";

/**
 * Options for electing one of several processes to run the controllers. The defaults are client-go's, so that both can
 * share a lease.
 */
export interface LeaderElectionOptions {
  /** The name of the Lease. */
  readonly id: string;
  /** The namespace of the Lease. Default: the pod's own. */
  readonly namespace?: string | undefined;
  /** How long others wait before they take over a lease that is no longer renewed. Default: `15s`. */
  readonly leaseDuration?: Duration | undefined;
  /** How long the holder tries to renew before it gives up. Default: `10s`. */
  readonly renewDeadline?: Duration | undefined;
  /** Time between attempts. Default: `2s`. */
  readonly retryPeriod?: Duration | undefined;
  /** Release the lease when the manager stops, so that the next process needn't wait. Default: true. */
  readonly releaseOnCancel?: boolean | undefined;
  /** Labels of the Lease. */
  readonly labels?: { readonly [name: string]: string } | undefined;
  /** The identity of this process. Default: the host name and a random part. */
  readonly identity?: string | undefined;
}
