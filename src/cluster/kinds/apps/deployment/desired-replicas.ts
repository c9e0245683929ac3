import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { ReplicaSet } from "../replica-set/replica-set-controller.ts";
import type { Defaulted } from "../../../control-loop/api/core.ts";
import { scaledCount, sum } from "../../../control-loop/counts.ts";
import type { Stored } from "../../../contract/api-object.ts";

export type Deployment = Defaulted<Stored<apps.Deployment>, "replicas" | "revisionHistoryLimit">;

/** The next replicas of each ReplicaSet by name; only those that change. */
export type DesiredReplicas = ReadonlyMap<string, number>;

/**
 * Returns the next step of a rollout. Each step respects the limits, so that it is safe to stop after any: the new ReplicaSet
 * scales up as far as maxSurge allows, then the old ones scale down as far as maxUnavailable allows.
 */
export function desiredReplicas(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): DesiredReplicas {
  const scaledUp = scaleUp(deployment, current, old);
  if (scaledUp !== current.spec.replicas) return new Map([[nameOf(current), scaledUp]]);
  return scaleDown(deployment, current, old);
}

function scaleUp(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): number {
  const replicas = deployment.spec.replicas;
  const now = current.spec.replicas;
  if (now >= replicas) return replicas;
  const room = replicas + rolloutLimits(deployment).maxSurge - specReplicas([current, ...old]);
  return now + Math.max(0, Math.min(room, replicas - now));
}

/** Scales old ReplicaSets down: unavailable pods go first, as their removal does not reduce availability. */
function scaleDown(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): DesiredReplicas {
  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  const newMissing = current.spec.replicas - (current.status?.availableReplicas ?? 0);
  const removable = specReplicas([current, ...old]) - minAvailable - newMissing;
  if (removable <= 0) return new Map();

  const withoutUnhealthy = shrink(old, removable, (replicaSet) => {
    return replicaSet.spec.replicas - (replicaSet.status?.availableReplicas ?? 0);
  });
  const cleaned = old.map((replicaSet) => withReplicas(replicaSet, withoutUnhealthy));
  const surplus = availableReplicas([current, ...cleaned]) - minAvailable;
  const withoutSurplus = shrink(cleaned, surplus, ({ spec }) => spec.replicas);
  return new Map([...withoutUnhealthy, ...withoutSurplus]);
}

/** Returns the replicas of ReplicaSets without a number of pods, which the oldest lose first. */
function shrink(
  replicaSets: readonly ReplicaSet[],
  count: number,
  countRemovable: (replicaSet: ReplicaSet) => number,
): Map<string, number> {
  const next = new Map<string, number>();
  let left = count;
  for (const replicaSet of [...replicaSets].sort(byAge)) {
    const removed = Math.max(0, Math.min(left, countRemovable(replicaSet)));
    if (removed > 0) next.set(nameOf(replicaSet), replicaSet.spec.replicas - removed);
    left -= removed;
  }
  return next;
}

function withReplicas(replicaSet: ReplicaSet, next: DesiredReplicas): ReplicaSet {
  const replicas = next.get(nameOf(replicaSet));
  return replicas === undefined ? replicaSet : { ...replicaSet, spec: { ...replicaSet.spec, replicas } };
}

/**
 * Distributes a new number of replicas over the ReplicaSets in proportion to their sizes, so that scaling
 * during a rollout does not change how far it has come. The rounding remainder goes to the largest.
 */
export function proportionalReplicas(deployment: Deployment, sets: readonly ReplicaSet[]): DesiredReplicas {
  const active = sets.filter(({ spec }) => spec.replicas > 0);
  const replicas = deployment.spec.replicas;
  if (active.length <= 1) return new Map(active.map((only) => [nameOf(only), replicas]));
  const total = specReplicas(active);
  const allowed = replicas > 0 ? replicas + rolloutLimits(deployment).maxSurge : 0;
  const sorted = [...active].sort((a, b) => b.spec.replicas - a.spec.replicas || byAge(a, b));
  let left = allowed - total;
  const next = new Map<string, number>();
  for (const replicaSet of sorted) {
    const now = replicaSet.spec.replicas;
    const share = limitShare(Math.round((now * allowed) / total) - now, left);
    next.set(nameOf(replicaSet), now + share);
    left -= share;
  }
  const largest = nameOf(sorted[0]!);
  next.set(largest, Math.max(0, next.get(largest)! + left));
  return next;
}

/** Limits a share to the replicas that are left to add or to remove, and to their direction. */
function limitShare(share: number, left: number): number {
  return left > 0 ? Math.max(0, Math.min(share, left)) : Math.min(0, Math.max(share, left));
}

/** The number of pods that a rollout may have above the desired number, and the number that may be unavailable. */
interface RolloutLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Resolves the limits of a rollout. If both round to 0, the rollout could never progress: then maxUnavailable is 1. */
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

export function specReplicas(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets.map(({ spec }) => spec.replicas));
}

export function availableReplicas(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets.map(({ status }) => status?.availableReplicas ?? 0));
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
