/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { setCondition } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Memcached, MemcachedStatus } from "../../api/v1/memcached_types.ts";
import { selectorLabels } from "./memcached_resources.ts";

/** Says what was observed, all of it. */
export function statusFor(owner: Memcached, deployment: Deployment): MemcachedStatus {
  const { replicas = 0, readyReplicas = 0 } = deployment.status ?? {};
  const observedGeneration = owner.metadata.generation;
  const rollout = rolloutOf(deployment);
  const available = setCondition(owner.status?.conditions, {
    type: "Available",
    status: rollout.isAvailable ? "True" : "False",
    reason: rollout.isAvailable ? "DeploymentAvailable" : "Deploying",
    message: rollout.message,
    observedGeneration,
  });
  return {
    observedGeneration,
    replicas,
    readyReplicas,
    selector: Object.entries(selectorLabels(owner))
      .map(([label, value]) => `${label}=${value}`)
      .join(","),
    conditions: setCondition(available, {
      type: "Progressing",
      status: rollout.isDone ? "False" : "True",
      reason: rollout.isDone ? "UpToDate" : "RollingOut",
      message: rollout.message,
      observedGeneration,
    }),
  };
}

/** How far the Deployment is; what it says of an older generation of itself does not count. */
function rolloutOf({ metadata, spec, status = {} }: Deployment) {
  const wanted = spec?.replicas ?? 1;
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
  const isCurrent = (status.observedGeneration ?? 0) >= (metadata.generation ?? 1);
  const isAvailable = isCurrent && availableReplicas >= wanted;
  const isDone = isAvailable && updatedReplicas === wanted && replicas === wanted;
  const message = `${availableReplicas} of ${wanted} pods are available, ${updatedReplicas} are up to date`;
  return { isAvailable, isDone, message };
}
