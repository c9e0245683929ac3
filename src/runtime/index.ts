/**
 * The package `@tsbuilder/runtime`: everything that an operator imports, by chapter. To understand how the parts work
 * together, begin with `manager/manager.ts`, which creates them, and `controller/controller.ts`, which runs reconciles.
 */

// An operator: what `main` creates, adds to and starts.
export { Manager } from "./manager/manager.ts";
export type { ManagerClientOptions, ManagerOptions } from "./manager/manager-options.ts";
export type { ManagerArgs, FlagDefinition, FlagDefinitions, FlagValues } from "./manager/manager-args.ts";
export type { Cluster, MemberCluster } from "./manager/cluster.ts";
export type { Runnable, RunContext } from "./manager/lifecycle.ts";
export type { ScheduledContext, ScheduledRun, ScheduledWork } from "./manager/scheduled-work.ts";
export type { LeaderElectionOptions, ShardingOptions } from "./leader-election/lease-options.ts";
export type { MetricsOptions } from "./metrics/metrics-server.ts";
export type { HttpHandler } from "./serve/http-listener.ts";
export type { HealthCheck } from "./health/health-checks.ts";
export { followKubeconfigSecrets, type KubeconfigSecretsOptions } from "./clusters/kubeconfig-secrets.ts";

// Controllers: the contract of `reconcile`, the builder, and what causes requests.
export type * from "./controller/reconciler.ts";
export { ControllerBuilder, RequestControllerBuilder } from "./controller/controller-builder.ts";
export type {
  AddedWatchFilter,
  BackoffOptions,
  ControllerDefaults,
  ControllerOptions,
  OwnsFilter,
  RetryDelay,
  WatchFilter,
  Controller,
  Watch,
} from "./controller/controller-spec.ts";
export type { EventHandler, RequestMap } from "./controller/kind-source.ts";
export * from "./controller/poll-source.ts";
export * from "./controller/source.ts";
export * from "./controller/predicate.ts";
export type { EventDetails, EventRecorder } from "./events/event-recorder.ts";
export {
  type Logger,
  type LogLevel,
  createLogger,
  type LeveledLogger,
  type LoggerOptions,
  loggerFromPino,
  type PinoLike,
} from "./log/logger.ts";
export type {
  ChannelMessages,
  ControllerSample,
  EnqueueMessage,
  ReconcileEndMessage,
  ReconcileStartMessage,
  RequestMessage,
  SampleMessage,
} from "./tracing/channels.ts";

// Reading and writing objects.
export type * from "./client/client.ts";
export { type ClientOptions, createClient } from "./client/live-client.ts";
export { formatKey, keyOf, keyText } from "./client/client.ts";
export { isMetadataOnly, metadataOnly } from "./client/metadata-only.ts";
export { Children, type Rejection, removeForeignPorts } from "./client/children.ts";
export type {
  Child,
  ChildGroup,
  ChildOptions,
  ChildSelection,
  Preparation,
  DesiredChild,
} from "./client/child-order.ts";
export * from "./client/read-modify-write.ts";
export * from "./client/intercept-client.ts";
export type * from "./containers/options.ts";
export type {
  Cache,
  CacheOptions,
  InformerScope,
  KindCacheOptions,
  Informer,
  InformerEvent,
  InformerHandler,
  InformerStats,
  SubscribeOptions,
  Subscription,
} from "./cache/cache.ts";
export { createCache } from "./cache/create-cache.ts";
export { createCachedClient } from "./cache/cached-client.ts";

// Reaching a cluster, and what fails on the way.
export { loadConfig, type LoadConfigOptions, podNamespace } from "./config/load-config.ts";
export type { KubeconfigFile } from "./config/kubeconfig-file.ts";
export type { ClusterConfig, Credential, Credentials, Impersonation } from "./http/config.ts";
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
export { ApiError, TerminalError } from "./errors/api-error.ts";
export { CallbackError, type CallbackName } from "./callbacks/callbacks.ts";

// Admission and conversion.
export { WebhookBuilder } from "./webhook/webhook-builder.ts";
export type * from "./webhook/webhooks.ts";
export type {
  SelfManagedCertificateOptions,
  ServedWebhooks,
  WebhookAnswer,
  WebhookCall,
  WebhookServerOptions,
} from "./webhook/webhook-server.ts";

// Words of Kubernetes that are apimachinery's.
export {
  type Condition,
  type CustomResource,
  type DesiredCondition,
  type Duration,
  type float64,
  type GroupVersion,
  type int32,
  type int64,
  type IntOrString,
  type JSONValue,
  type Kind,
  type KubernetesList,
  type KubernetesObject,
  type LabelSelector,
  type MicroTime,
  type ObjectMeta,
  type OwnerReference,
  type Quantity,
  type RawExtension,
  type Status,
  type Time,
  defineKind,
  findCondition,
  findController,
  isConditionTrue,
  ownerReferenceTo,
  removeCondition,
  setCondition,
  withOwnerReference,
} from "@tsbuilder/apimachinery/meta";
export { compareQuantities, quantityToNumber } from "@tsbuilder/apimachinery/quantity";
export {
  cronTimes,
  formatMicroTime,
  formatTime,
  parseDuration,
  parseTime,
  type Clock,
  systemClock,
} from "@tsbuilder/apimachinery/time";
export type { JSONPatchOperation } from "@tsbuilder/apimachinery/patch";
