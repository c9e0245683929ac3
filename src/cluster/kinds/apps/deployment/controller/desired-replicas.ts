import type { Deployment } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";
import { availableReplicas, rolloutLimits, specReplicas } from "./replica-counts.ts";

/** The next replicas of each ReplicaSet by name; only those that change. */
export type DesiredReplicas = ReadonlyMap<string, number>;

/**
 * The next step of a rollout. Each step respects the limits, so that it is safe to stop after any: the new
 * ReplicaSet scales up as far as maxSurge allows, then the old ones scale down as far as maxUnavailable
 * allows.
 */
export function desiredReplicas(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): DesiredReplicas {
  const grown = nextOfCurrent(deployment, current, old);
  if (grown !== current.spec.replicas) return new Map([[nameOf(current), grown]]);
  return nextOfOld(deployment, current, old);
}

function nextOfCurrent(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): number {
  const replicas = deployment.spec.replicas;
  const now = current.spec.replicas;
  if (now >= replicas) return replicas;
  const room = replicas + rolloutLimits(deployment).maxSurge - specReplicas([current, ...old]);
  return now + Math.max(0, Math.min(room, replicas - now));
}

/** Unavailable pods are removed first, as that does not reduce availability. */
function nextOfOld(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): DesiredReplicas {
  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  const newMissing = current.spec.replicas - (current.status?.availableReplicas ?? 0);
  const mayGo = specReplicas([current, ...old]) - minAvailable - newMissing;
  if (mayGo <= 0) return new Map();

  const unhealthy = shrink(old, mayGo, (replicaSet) => {
    return replicaSet.spec.replicas - (replicaSet.status?.availableReplicas ?? 0);
  });
  const cleaned = old.map((replicaSet) => withReplicas(replicaSet, unhealthy));
  const surplus = availableReplicas([current, ...cleaned]) - minAvailable;
  const healthy = shrink(cleaned, surplus, ({ spec }) => spec.replicas);
  return new Map([...unhealthy, ...healthy]);
}

/** Removes a number of pods from ReplicaSets, oldest first. */
function shrink(
  replicaSets: readonly ReplicaSet[],
  count: number,
  takeable: (replicaSet: ReplicaSet) => number,
): Map<string, number> {
  const next = new Map<string, number>();
  let left = count;
  for (const replicaSet of [...replicaSets].sort(byAge)) {
    const taken = Math.max(0, Math.min(left, takeable(replicaSet)));
    if (taken > 0) next.set(nameOf(replicaSet), replicaSet.spec.replicas - taken);
    left -= taken;
  }
  return next;
}

function withReplicas(replicaSet: ReplicaSet, next: DesiredReplicas): ReplicaSet {
  const replicas = next.get(nameOf(replicaSet));
  return replicas === undefined ? replicaSet : { ...replicaSet, spec: { ...replicaSet.spec, replicas } };
}

/** Orders objects by creation time, then by name. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`,
  );
  return first! < second! ? -1 : 1;
}

function nameOf(replicaSet: ReplicaSet): string {
  return replicaSet.metadata.name ?? "";
}
