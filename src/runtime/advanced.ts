/**
 * The subpath `@tsbuilder/runtime/advanced`: types of options that are mostly written in place, and what tools are built
 * on rather than operators: caches, requests, call contexts, the messages of channels.
 */

// Options of a manager.
export type { ManagerClientOptions } from "./manager/manager-options.ts";
export type { FlagDefinition, FlagDefinitions, FlagValues } from "./manager/manager-args.ts";
export type { RunContext } from "./manager/lifecycle.ts";
export type { ScheduledContext, ScheduledRun } from "./manager/scheduled-work.ts";
export type { LeaderElectionOptions, ShardingOptions } from "./leader-election/lease-options.ts";
export type { ConditionExportOptions } from "./metrics/condition-metrics.ts";
export type { RecorderOptions } from "./recorder/flight-recorder.ts";
export type { MetricsOptions } from "./metrics/metrics-server.ts";
export type { HttpHandler } from "./serve/http-listener.ts";
export type { KubeconfigSecretsOptions } from "./clusters/kubeconfig-secrets.ts";

// Storing objects again in another version, step by step.
export {
  type MigrationStep,
  type StorageMigrationOptions,
  stepMigration,
} from "./storage-migration/storage-migration.ts";

// Options of controllers, events and logs.
export type { RequestControllerBuilder } from "./controller/controller-builder.ts";
export type {
  AddedWatchFilter,
  BackoffOptions,
  ControllerDefaults,
  OwnsFilter,
  RetryDelay,
  WatchFilter,
} from "./controller/controller-spec.ts";
export type { PollOptions } from "./controller/poll-source.ts";
export type { EnqueueOptions, IntervalOptions, SourceContext } from "./controller/source.ts";
export type { EventDetails } from "./events/event-recorder.ts";
export type { LeveledLogger, LoggerOptions, LogLevel, PinoLike } from "./log/logger.ts";

// The messages that a process publishes on the channels of Node's `diagnostics_channel`.
export type {
  ChannelMessages,
  ControllerSample,
  EnqueueMessage,
  ReconcileEndMessage,
  ReconcileStartMessage,
  RequestMessage,
  SampleMessage,
} from "./tracing/channels.ts";

// The record of a flight recorder.
export {
  type FlightBlock,
  type FlightChange,
  type FlightHeader,
  type FlightLine,
  FlightReader,
} from "./recorder/flight-format.ts";

// Options of clients, and clients around others.
export type {
  ApplyConfiguration,
  ApplyOptions,
  ClientDefaults,
  Containers,
  CreateOptions,
  DeleteAllOptions,
  DeleteOptions,
  ListOptions,
  MutateFn,
  ObjectSelector,
  PageOptions,
  PatchOptions,
  RestMapper,
  StatusOf,
  Subresource,
  SubresourceTypes,
  UnstructuredObject,
  WatchEvent,
  WatchOptions,
  WithUndefined,
  WriteOptions,
} from "./client/client.ts";
export type { ClientOptions } from "./client/live-client.ts";
export { isMetadataOnly } from "./client/metadata-only.ts";
export type { ChildGroup, ChildOptions, ChildSelection } from "./client/child-order.ts";
export type { CreateOrUpdateResult, PartialObject, RetryOptions } from "./client/read-modify-write.ts";
export type {
  CallInterceptor,
  ClientCall,
  ClientInterceptors,
  ClientVerb,
} from "./client/intercept-client.ts";
export type {
  CommandInput,
  ExecOptions,
  LogLines,
  LogOptions,
  PortForward,
  PortForwardOptions,
  TerminalSize,
} from "./containers/options.ts";
export { withOwnerReference } from "@tsbuilder/apimachinery/meta";
export type { JSONPatchOperation } from "@tsbuilder/apimachinery/patch";

// Caches without a manager.
export type {
  CacheOptions,
  Informer,
  InformerHandler,
  InformerScope,
  InformerStats,
  KindCacheOptions,
  SubscribeOptions,
  Subscription,
} from "./cache/cache.ts";
export { createCache } from "./cache/create-cache.ts";
export { createCachedClient } from "./cache/cached-client.ts";

// Requests: where they go, what they inherit, and what they report.
export type { LoadConfigOptions } from "./config/load-config.ts";
export type { KubeconfigFile } from "./config/kubeconfig-file.ts";
export type { AuthInfo, Credentials, Impersonation } from "./http/config.ts";
export type {
  CallOptions,
  Interceptor,
  RawRequest,
  RawResponse,
  RequestReport,
  TransportOptions,
  WebSocketConnection,
} from "./http/transport.ts";
export type { ConfigSource } from "./http/http-transport.ts";
export {
  type ApiWarning,
  type CallContext,
  currentCallContext,
  runInCallContext,
  type LogFields,
} from "./scope/scope.ts";
export { CallbackError, type CallbackName } from "./callbacks/callbacks.ts";

// The webhook server.
export type { WebhookBuilder } from "./webhook/webhook-builder.ts";
export type {
  SelfManagedCertificateOptions,
  ServedWebhooks,
  WebhookAnswer,
  WebhookCall,
  WebhookServerOptions,
} from "./webhook/webhook-server.ts";
