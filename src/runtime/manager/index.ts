export type {
  LeaderElectionOptions,
  ManagerOptions,
  MetricsOptions,
  WebhookServerOptions,
} from "./manager-options.ts";
export type { Runnable, RunContext } from "./runnable.ts";
