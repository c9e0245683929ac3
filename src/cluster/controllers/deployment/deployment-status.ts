import type { Deployment, DeploymentStatus, ReplicaSet } from "../api/apps.ts";
import { positiveCounts } from "../positive-counts.ts";
import { availableReplicas, specReplicas, sum } from "./replica-counts.ts";
import { rolloutConditions } from "./rollout-conditions.ts";

/** What a Deployment's ReplicaSets make of its status. */
export function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: Date,
): DeploymentStatus {
  const all = current ? [current, ...old] : old;
  const available = availableReplicas(all);
  const collisionCount = deployment.status?.collisionCount;
  const counts: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...positiveCounts({
      replicas: sum(all.map(({ status }) => status?.replicas ?? 0)),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: sum(all.map(({ status }) => status?.readyReplicas ?? 0)),
      availableReplicas: available,
      unavailableReplicas: specReplicas(all) - available,
    }),
    terminatingReplicas: sum(all.map(({ status }) => status?.terminatingReplicas ?? 0)),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
  return { ...counts, conditions: rolloutConditions(deployment, counts, current, now) };
}

/** Tells whether nothing of a rollout is left to do. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = deployment.spec.replicas ?? 1;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}
