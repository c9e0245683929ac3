import type { Duration } from "@tsbuilder/apimachinery/meta";
import type { CacheOptions } from "../cache/cache.ts";
import type { ClusterConfig } from "../client/config.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ControllerDefaults } from "../controller/controller-options.ts";
import type { Logger } from "../log/logger.ts";
import type { HttpHandler } from "./http-listener.ts";

/** How a manager is set up. `Manager.fromArgs` makes these options from the command line. */
export interface ManagerOptions {
  /** The operator's name: its field manager, its user agent, and who its events are from. */
  readonly name: string;
  /** The cluster, or how to find it; `loadConfig()` unless said otherwise, called at the first request. */
  readonly config?: ClusterConfig | (() => Promise<ClusterConfig>) | undefined;
  readonly cache?: CacheOptions | undefined;
  /** Defaults for all controllers. */
  readonly controllers?: ControllerDefaults | undefined;
  /** Run controllers only while holding a lease; off unless given. */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  /** Where `/healthz` and `/readyz` are served: `:8081`; `0`, the default, turns them off. */
  readonly healthProbeBindAddress?: string | undefined;
  readonly metrics?: MetricsOptions | undefined;
  readonly webhooks?: WebhookServerOptions | undefined;
  /** The time that everything has to stop in; 30s unless said otherwise, `0s` for none. */
  readonly gracefulShutdownTimeout?: Duration | undefined;
  /** Say it when the event loop was blocked for this long; 1s unless said otherwise, `0s` for never. */
  readonly blockedAfter?: Duration | undefined;
  /**
   * The process is there for this manager alone: SIGINT and SIGTERM stop it, a second one exits with 1, SIGUSR2
   * switches debug lines on and off, a rejection nobody handles is logged, and a failure is logged and exits with 1.
   * Off unless on.
   */
  readonly ownsProcess?: boolean | undefined;
  /** Writes JSON lines to stderr unless given. */
  readonly logger?: Logger | undefined;
  /** The machine's time unless a test gives a clock that it moves. */
  readonly clock?: Clock | undefined;
}

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

/** How metrics are served. */
export interface MetricsOptions {
  /** `:8443`; `0`, the default, turns them off. */
  readonly bindAddress?: string | undefined;
  /** Over TLS, to callers who may `get` the non-resource URL `/metrics`; off unless on. */
  readonly secure?: boolean | undefined;
  /** Folder with `tls.crt` and `tls.key`, read again when they change; without it a self-signed certificate is made. */
  readonly certPath?: string | undefined;
  readonly certName?: string | undefined;
  readonly keyName?: string | undefined;
  /** More handlers behind the same door, by path. */
  readonly handlers?: { readonly [path: string]: HttpHandler } | undefined;
  /** Serve `/debug/heap`, `/debug/profile` and `/debug/log-level` there too; off unless on. */
  readonly debug?: boolean | undefined;
}

/** How webhooks are served. */
export interface WebhookServerOptions {
  /** Off where no API server can reach this process; on unless turned off. */
  readonly enabled?: boolean | undefined;
  /** 9443 unless said otherwise. */
  readonly port?: number | undefined;
  /** All addresses unless given. */
  readonly host?: string | undefined;
  /** Folder with the certificate and its key, read again when they change. */
  readonly certPath?: string | undefined;
  /** `tls.crt` unless said otherwise. */
  readonly certName?: string | undefined;
  /** `tls.key` unless said otherwise. */
  readonly keyName?: string | undefined;
  /** Make the certificate here in place of reading it, for clusters without cert-manager. */
  readonly selfManaged?: SelfManagedCertificateOptions | undefined;
  /** A file in `certPath` with the authorities of client certificates; then every caller needs one. */
  readonly clientCaName?: string | undefined;
}

/** How a webhook certificate of one's own is made: kept in a Secret, replaced in time, and trusted by the API server. */
export interface SelfManagedCertificateOptions {
  /** The Service in front of the webhooks. */
  readonly service: string;
  /** Its namespace; the pod's own unless given. */
  readonly namespace?: string | undefined;
  /** The Secret that all replicas share; `<service>-cert` unless said otherwise. */
  readonly secret?: string | undefined;
  /** Days that a certificate lasts; 90 unless said otherwise. It is replaced after two thirds of them. */
  readonly days?: number | undefined;
}
