export type { Cluster, MemberCluster } from "./cluster.ts";
export type { FlagDefinition, FlagDefinitions, FlagValues } from "./flags.ts";
export type { HttpHandler } from "../serve/http-listener.ts";
export { Manager } from "./manager.ts";
export type { ManagerArgs } from "./manager-args.ts";
export type { LeaderElectionOptions } from "../leader-election/options.ts";
export type { ShardingOptions } from "../leader-election/options.ts";
export type { ManagerClientOptions, ManagerOptions } from "./manager-options.ts";
export type { MetricsOptions } from "../metrics/metrics-server.ts";
export type {
  SelfManagedCertificateOptions,
  ServedWebhooks,
  WebhookAnswer,
  WebhookCall,
  WebhookServerOptions,
} from "../webhook/webhook-server.ts";
export type { ScheduledContext, ScheduledRun, ScheduledWork } from "./scheduled-work.ts";
export type { Runnable, RunContext } from "./runnable-group.ts";
