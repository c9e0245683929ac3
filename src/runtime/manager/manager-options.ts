import type { Duration } from "@tsbuilder/apimachinery/meta";
import type { CacheOptions } from "../cache/cache.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ControllerDefaults } from "../controller/controller-options.ts";
import type { LeaderElectionOptions } from "../leader-election/leader-election-options.ts";
import type { Logger } from "../log/logger.ts";
import type { MetricsOptions } from "../metrics/metrics-options.ts";
import type { WebhookServerOptions } from "../webhook/webhook-server-options.ts";

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
