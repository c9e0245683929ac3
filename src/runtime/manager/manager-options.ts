import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import type { CacheOptions } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import type { ClientOptions } from "../client/live-client.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ControllerDefaults } from "../controller/controller-spec.ts";
import type { LeaderElectionOptions, ShardingOptions } from "../leader-election/lease-options.ts";
import type { Logger } from "../log/logger.ts";
import type { MetricsOptions } from "../metrics/metrics-server.ts";
import type { RecorderOptions } from "../recorder/flight-recorder.ts";
import type { WebhookServerOptions } from "../webhook/webhook-server.ts";

/** Options of a manager's client. */
export interface ManagerClientOptions extends Pick<
  ClientOptions,
  "interceptors" | "maxConnections" | "timeout" | "connectTimeout" | "fieldValidation" | "dryRun"
> {
  /** Returns the client that controllers and `manager.client` use, such as one of `interceptClient`. */
  readonly wrap?: ((client: Client) => Client) | undefined;
}

/** Options of a manager. `Manager.fromArgs` reads them from the command line. */
export interface ManagerOptions {
  /** The operator's name: its field manager, its user agent, and the reporter of its Events. */
  readonly name: string;
  /** The cluster, or a function that finds it, called at the first request. Default: `loadConfig()`. */
  readonly config?: ClusterConfig | (() => Promise<ClusterConfig>) | undefined;
  /** How requests are sent; `wrap` replaces the client. */
  readonly client?: ManagerClientOptions | undefined;
  readonly cache?: CacheOptions | undefined;
  /** Defaults for all controllers. */
  readonly controllers?: ControllerDefaults | undefined;
  /** Run controllers only while holding a lease. Default: no leader election. */
  readonly leaderElection?: LeaderElectionOptions | undefined;
  /** Share the objects among all processes with the same `id`, so that all of them work. Default: no sharing. */
  readonly sharding?: ShardingOptions | undefined;
  /** Address of `/healthz` and `/readyz`, such as `:8081`; `0` turns them off. Default: `0`. */
  readonly healthProbeBindAddress?: string | undefined;
  readonly metrics?: MetricsOptions | undefined;
  readonly webhooks?: WebhookServerOptions | undefined;
  /** Keeps what happened last, for `tsbuilder record` and `tsbuilder why`. Default: nothing is kept. */
  readonly recorder?: RecorderOptions | undefined;
  /** Time limit for stopping; `0s` for none. Default: `30s`. */
  readonly gracefulShutdownTimeout?: DurationLike | undefined;
  /** Log a warning when the event loop was blocked for this long; `0s` for never. Default: `1s`. */
  readonly blockedAfter?: DurationLike | undefined;
  /**
   * The process exists for this manager only: SIGINT and SIGTERM stop it, a second one exits with 1, SIGUSR2 toggles
   * debug logs, an unhandled rejection is logged, and a failure is logged and exits with 1. Default: false.
   */
  readonly ownsProcess?: boolean | undefined;
  /** Default: writes JSON lines to stderr. */
  readonly logger?: Logger | undefined;
  /** Default: the system time. Tests pass a clock that they move. */
  readonly clock?: Clock | undefined;
}
