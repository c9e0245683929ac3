import { scaledCount, sum } from "../../../../control-loop/counts.ts";
import type { Deployment, DeploymentStatus } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";

/** How many pods a rollout may have above the desired number, and how many may be unavailable. */
export interface RolloutLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * Resolves the limits of a rollout. If both round to 0, the rollout could never progress: then maxUnavailable
 * is 1.
 */
export function rolloutLimits({ spec }: Deployment): RolloutLimits {
  if (spec.strategy?.type === "Recreate") return { maxSurge: 0, maxUnavailable: 0 };
  const replicas = spec.replicas;
  const { maxSurge = "25%", maxUnavailable = "25%" } = spec.strategy?.rollingUpdate ?? {};
  const surge = scaledCount(maxSurge, replicas, Math.ceil);
  const unavailable = scaledCount(maxUnavailable, replicas, Math.floor);
  return {
    maxSurge: surge,
    maxUnavailable: Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas),
  };
}

/** The desired replicas of all ReplicaSets. */
export function specReplicas(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets.map(({ spec }) => spec.replicas));
}

/** The available replicas of all ReplicaSets. */
export function availableReplicas(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets.map(({ status }) => status?.availableReplicas ?? 0));
}

/** Returns whether a rollout is complete. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = deployment.spec.replicas;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}
