/**
 * The package `@tsbuilder/runtime`: what an operator calls, implements and declares its functions with, by chapter.
 * `advanced.ts` has the rest. To understand how the parts work together, begin with `manager/manager.ts`, which creates
 * them, and `controller/controller.ts`, which runs reconciles.
 */

// An operator: what `main` creates, adds to and starts.
export { Manager } from "./manager/manager.ts";
export type { ManagerArgs } from "./manager/manager-args.ts";
export type { ManagerOptions } from "./manager/manager-options.ts";
export type { Cluster, MemberCluster } from "./manager/cluster.ts";
export type { Runnable } from "./manager/lifecycle.ts";
export type { ScheduledWork } from "./manager/scheduled-work.ts";
export type { HealthCheck } from "./health/health-checks.ts";
export { followKubeconfigSecrets } from "./clusters/kubeconfig-secrets.ts";

// Controllers: the contract of `reconcile`, the builder, and what causes requests.
export type { Cleanup, Context, Reconciler, Result } from "./controller/reconciler.ts";
export type { ControllerBuilder } from "./controller/controller-builder.ts";
export type { AddedWatch, Controller, ControllerOptions } from "./controller/controller-spec.ts";
export type { EventHandler, RequestMap } from "./controller/kind-source.ts";
export { pollSource, type PollSource } from "./controller/poll-source.ts";
export { intervalSource, RequestChannel, type Enqueue, type Source } from "./controller/source.ts";
export * from "./controller/predicate.ts";
export type { InformerEvent } from "./cache/cache.ts";
export type { EventRecorder } from "./events/event-recorder.ts";
export { type Logger, createLogger, loggerFromPino } from "./log/logger.ts";

// Reading and writing objects.
export type {
  Client,
  DeepReadonly,
  Desired,
  DesiredStatus,
  ClusterScopedName,
  NamespacedName,
  ObjectKey,
  ObjectRef,
  Owner,
  Patch,
  Reader,
  ReadOptions,
  Stored,
} from "./client/client.ts";
export { createClient } from "./client/live-client.ts";
export { formatKey, keyOf } from "./client/client.ts";
export { metadataOnly } from "./client/metadata-only.ts";
export { Children, pruneServicePorts, type Rejection } from "./client/children.ts";
export type { BeforeApply, Child, DesiredChild } from "./client/child-order.ts";
export { createOrUpdate, retryOnConflict } from "./client/read-modify-write.ts";
export { interceptClient } from "./client/intercept-client.ts";
export type { ExecResult } from "./containers/options.ts";
export type { ObjectCache } from "./cache/cache.ts";

// Reaching a cluster, and what fails on the way.
export { loadConfig, podNamespace } from "./config/load-config.ts";
export type { ClusterConfig } from "./http/config.ts";
export { ApiError, TerminalError } from "./errors/api-error.ts";

// Admission and conversion.
export type * from "./webhook/webhooks.ts";

// Words of Kubernetes that are apimachinery's.
export {
  type Condition,
  type CustomResource,
  type DesiredCondition,
  type Duration,
  type DurationLike,
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
  type PodProblem,
  type Quantity,
  type RawExtension,
  type Status,
  type Time,
  defineKind,
  findCondition,
  findController,
  isConditionTrue,
  ownerReferenceTo,
  podProblem,
  removeCondition,
  setCondition,
} from "@tsbuilder/apimachinery/meta";
export { shortName } from "@tsbuilder/apimachinery/naming";
export { compareQuantities, quantityToNumber } from "@tsbuilder/apimachinery/quantity";
export {
  cronTimes,
  formatDuration,
  formatMicroTime,
  formatTime,
  parseDuration,
  parseTime,
  type Clock,
  systemClock,
} from "@tsbuilder/apimachinery/time";
