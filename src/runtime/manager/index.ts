export type { FlagDefinition, FlagDefinitions, FlagValues } from "./flags.ts";
export type { HttpHandler } from "./http-listener.ts";
export { Manager } from "./manager.ts";
export type { ManagerArgs } from "./manager-args.ts";
export type {
  LeaderElectionOptions,
  ManagerOptions,
  MetricsOptions,
  SelfManagedCertificateOptions,
  WebhookServerOptions,
} from "./manager-options.ts";
export type { Runnable, RunContext } from "./runnable.ts";
