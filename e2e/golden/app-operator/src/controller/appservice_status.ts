/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Clock,
  type Condition,
  type DesiredCondition,
  findCondition,
  podProblem,
  type Rejection,
  removeCondition,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";
import type { AppService, AppServiceStatus } from "../../api/v1/appservice_types.ts";
import { selectorLabels } from "./appservice_resources.ts";

/** The observed state after a reconcile. */
export interface Observed {
  readonly deployment: Deployment | undefined;
  readonly pods: readonly Pod[];
  readonly service: Service | undefined;
  readonly rejections: readonly Rejection[];
}

/** Returns the complete status. */
export function statusFor(
  app: Stored<AppService>,
  observed: Observed,
  clock: Clock,
): AppServiceStatus {
  const { deployment, service } = observed;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = deployment?.status ?? {};
  const { availableReplicas = 0, unavailableReplicas = 0 } = deployment?.status ?? {};
  const nodePorts = service?.spec?.ports?.flatMap(({ nodePort }) => nodePort ?? []) ?? [];
  const url = urlOf(app);
  return {
    observedGeneration: app.metadata.generation ?? 0,
    ...{ replicas, readyReplicas, updatedReplicas, availableReplicas, unavailableReplicas },
    selector: Object.entries(selectorLabels(app))
      .map(([key, value]) => `${key}=${value}`)
      .join(","),
    ...(url ? { url } : {}),
    ...(nodePorts.length > 0 ? { nodePorts } : {}),
    conditions: conditionsFor(app, observed, clock),
  };
}

/** The status while nothing is reconciled: what was observed before, and why it may be out of date. */
export function pausedStatus({ status }: Stored<AppService>, clock: Clock): AppServiceStatus {
  const message = "spec.paused is true: nothing is reconciled";
  const paused = { type: "Paused", status: "True", reason: "PausedBySpec", message } as const;
  return { ...status, conditions: setCondition(status?.conditions, paused, clock) };
}

function conditionsFor(
  app: Stored<AppService>,
  { deployment, pods, rejections }: Observed,
  clock: Clock,
): Condition[] {
  const observedGeneration = app.metadata.generation ?? 0;
  const wanted = {
    Available: available(deployment),
    Progressing: progressing(deployment),
    Degraded: degraded(deployment, pods, rejections),
  };
  return Object.entries(wanted).reduce<Condition[]>(
    (conditions, [type, condition]) =>
      setCondition(conditions, { type, observedGeneration, ...condition }, clock),
    removeCondition(app.status?.conditions, "Paused"),
  );
}

/** The Deployment's condition only counts for its current generation. */
function available(deployment: Deployment | undefined): Omit<DesiredCondition, "type"> {
  const isCurrent =
    (deployment?.status?.observedGeneration ?? 0) >= (deployment?.metadata.generation ?? 1);
  const condition = findCondition(deployment?.status?.conditions, "Available");
  if (isCurrent && condition?.status === "True") {
    return { status: "True", reason: "DeploymentAvailable", message: "enough pods are ready" };
  }
  return {
    status: "False",
    reason: "Deploying",
    message: condition?.message ?? "the pods are not ready yet",
  };
}

function progressing(deployment: Deployment | undefined): Omit<DesiredCondition, "type"> {
  const {
    observedGeneration = 0,
    replicas = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
  } = deployment?.status ?? {};
  const wanted = deployment?.spec?.replicas ?? 1;
  const isCurrent = observedGeneration >= (deployment?.metadata.generation ?? 1);
  if (
    isCurrent &&
    replicas === wanted &&
    updatedReplicas === wanted &&
    availableReplicas === wanted
  ) {
    return { status: "False", reason: "UpToDate", message: "" };
  }
  return {
    status: "True",
    reason: "RollingOut",
    message: `${updatedReplicas} of ${wanted} pods are updated`,
  };
}

function degraded(
  deployment: Deployment | undefined,
  pods: readonly Pod[],
  rejections: readonly Rejection[],
): Omit<DesiredCondition, "type"> {
  const [first] = rejections;
  if (first) {
    return {
      status: "True",
      reason: first.reason,
      message: rejections.map(({ message }) => message).join("; "),
    };
  }
  const failure = findCondition(deployment?.status?.conditions, "ReplicaFailure");
  if (failure?.status === "True") {
    return { status: "True", reason: "ReplicaFailure", message: failure.message ?? "" };
  }
  // The Deployment itself tells of its pods when its deadline is over, after ten minutes.
  for (const pod of pods.filter(isActive)) {
    const problem = podProblem(pod);
    if (!problem) continue;
    const { reason, message } = problem;
    return { status: "True", reason, message: `pod ${pod.metadata.name}: ${message}` };
  }
  const progress = findCondition(deployment?.status?.conditions, "Progressing");
  if (progress?.reason === "ProgressDeadlineExceeded") {
    return { status: "True", reason: "ProgressDeadlineExceeded", message: progress.message ?? "" };
  }
  return { status: "False", reason: "AsExpected", message: "" };
}

/** Returns whether a pod counts for the Deployment: one that ends, or was evicted, has been replaced. */
function isActive({ metadata, status }: Pod): boolean {
  return !metadata.deletionTimestamp && status?.phase !== "Failed";
}

function urlOf({ metadata, spec }: Stored<AppService>): string | undefined {
  const { ingress, ports = [] } = spec;
  if (ingress)
    return `${ingress.tlsSecretName ? "https" : "http"}://${ingress.host}${ingress.path ?? "/"}`;
  const [port] = ports;
  return port ? `http://${metadata.name}.${metadata.namespace}.svc:${port.port}` : undefined;
}
