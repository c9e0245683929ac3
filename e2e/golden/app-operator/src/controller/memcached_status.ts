/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Clock,
  type Condition,
  type DesiredCondition,
  type Rejection,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Memcached, MemcachedStatus } from "../../api/v1/memcached_types.ts";
import { selectorLabels } from "./memcached_resources.ts";

/** Returns the complete status. */
export function statusFor(
  owner: Stored<Memcached>,
  deployment: Deployment | undefined,
  rejections: readonly Rejection[],
  clock: Clock,
): MemcachedStatus {
  const { replicas = 0, readyReplicas = 0 } = deployment?.status ?? {};
  const observedGeneration = owner.metadata.generation ?? 0;
  const conditions = [...rolloutConditions(deployment), degraded(rejections)];
  return {
    observedGeneration,
    replicas,
    readyReplicas,
    selector: Object.entries(selectorLabels(owner))
      .map(([label, value]) => `${label}=${value}`)
      .join(","),
    conditions: conditions.reduce<Condition[]>(
      (known, condition) => setCondition(known, { ...condition, observedGeneration }, clock),
      owner.status?.conditions ?? [],
    ),
  };
}

/** The Deployment's progress; a status of an older generation does not count. */
function rolloutConditions(deployment: Deployment | undefined): DesiredCondition[] {
  const wanted = deployment?.spec?.replicas ?? 1;
  const status = deployment?.status ?? {};
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
  const isCurrent = (status.observedGeneration ?? 0) >= (deployment?.metadata.generation ?? 1);
  const isAvailable = isCurrent && availableReplicas >= wanted;
  const isDone = isAvailable && updatedReplicas === wanted && replicas === wanted;
  const message = `${availableReplicas} of ${wanted} pods are available, ${updatedReplicas} are up to date`;
  return [
    {
      type: "Available",
      status: isAvailable ? "True" : "False",
      reason: isAvailable ? "DeploymentAvailable" : "Deploying",
      message,
    },
    {
      type: "Progressing",
      status: isDone ? "False" : "True",
      reason: isDone ? "UpToDate" : "RollingOut",
      message,
    },
  ];
}

function degraded(rejections: readonly Rejection[]): DesiredCondition {
  const type = "Degraded";
  const [first] = rejections;
  if (!first) return { type, status: "False", reason: "AsExpected", message: "" };
  const message = rejections.map((rejection) => rejection.message).join("; ");
  return { type, status: "True", reason: first.reason, message };
}
