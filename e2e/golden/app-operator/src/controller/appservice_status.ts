/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Clock,
  type Condition,
  type DesiredCondition,
  findCondition,
  type Rejection,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Service } from "@tsbuilder/runtime/k8s/core/v1";
import type { AppService, AppServiceStatus } from "../../api/v1/appservice_types.ts";
import { selectorLabels } from "./appservice_resources.ts";

/** The observed state after a reconcile. */
export interface Observed {
  readonly deployment: Deployment | undefined;
  readonly service: Service | undefined;
  readonly rejections: readonly Rejection[];
}

/** Returns the complete status. */
export function statusFor(
  app: Stored<AppService>,
  { deployment, service, rejections }: Observed,
  clock: Clock,
): AppServiceStatus {
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
    conditions: conditionsFor(app, deployment, rejections, clock),
  };
}

function conditionsFor(
  app: Stored<AppService>,
  deployment: Deployment | undefined,
  rejections: readonly Rejection[],
  clock: Clock,
): Condition[] {
  const observedGeneration = app.metadata.generation ?? 0;
  const wanted = {
    Available: available(deployment),
    Progressing: progressing(deployment),
    Degraded: degraded(deployment, rejections),
  };
  return Object.entries(wanted).reduce<Condition[]>(
    (conditions, [type, condition]) =>
      setCondition(conditions, { type, observedGeneration, ...condition }, clock),
    app.status?.conditions ?? [],
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
  const progress = findCondition(deployment?.status?.conditions, "Progressing");
  if (progress?.reason === "ProgressDeadlineExceeded") {
    return { status: "True", reason: "ProgressDeadlineExceeded", message: progress.message ?? "" };
  }
  return { status: "False", reason: "AsExpected", message: "" };
}

function urlOf({ metadata, spec }: Stored<AppService>): string | undefined {
  const { ingress, ports = [] } = spec;
  if (ingress)
    return `${ingress.tlsSecretName ? "https" : "http"}://${ingress.host}${ingress.path ?? "/"}`;
  const [port] = ports;
  return port ? `http://${metadata.name}.${metadata.namespace}.svc:${port.port}` : undefined;
}
