import type { Deployment, DeploymentStatus } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";
import type { LooseCondition } from "../../../../control-loop/api/core.ts";
import { positiveCounts } from "../../../../control-loop/positive-counts.ts";
import { availableReplicas, specReplicas } from "./replica-counts.ts";
import { sum } from "../../../../control-loop/counts.ts";
import { rolloutConditions } from "./rollout-conditions.ts";

/** Computes the status of a Deployment from its ReplicaSets. */
export function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: number,
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
  const conditions = rolloutConditions(deployment, counts, current, now);
  return { ...counts, conditions: [...conditions, ...failureOf(deployment, all)] };
}

/**
 * The ReplicaFailure condition of the first ReplicaSet that has one; a known failure keeps its message and
 * times.
 */
function failureOf({ status }: Deployment, all: readonly ReplicaSet[]): LooseCondition[] {
  const failures = all.flatMap((set) => set.status?.conditions?.filter(isFailure) ?? []);
  const [failure] = failures;
  if (!failure) return [];
  const known = status?.conditions?.find(isFailure);
  const { lastTransitionTime } = failure;
  return [known ?? { ...failure, ...(lastTransitionTime && { lastUpdateTime: lastTransitionTime }) }];
}

function isFailure({ type, status }: LooseCondition): boolean {
  return type === "ReplicaFailure" && status === "True";
}
