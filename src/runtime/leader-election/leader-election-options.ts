import type { Duration } from "@tsbuilder/apimachinery/meta";

/** How one of several processes is chosen to run the controllers. Times are client-go's, so that both can share a lease. */
export interface LeaderElectionOptions {
  /** The name of the Lease. */
  readonly id: string;
  /** Its namespace; the pod's own unless given. */
  readonly namespace?: string | undefined;
  /** How long others wait before they take a lease over that is no longer renewed; 15s unless said otherwise. */
  readonly leaseDuration?: Duration | undefined;
  /** How long the holder tries to renew before it gives up; 10s unless said otherwise. */
  readonly renewDeadline?: Duration | undefined;
  /** Time between tries; 2s unless said otherwise. */
  readonly retryPeriod?: Duration | undefined;
  /** Give the lease away when the manager stops, so that the next one needn't wait; on unless turned off. */
  readonly releaseOnCancel?: boolean | undefined;
  /** Labels of the Lease. */
  readonly labels?: { readonly [name: string]: string } | undefined;
  /** Who this process is; host name and a random part unless given. */
  readonly identity?: string | undefined;
}
