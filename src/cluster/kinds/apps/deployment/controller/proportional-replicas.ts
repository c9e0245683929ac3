import type { Deployment } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";
import type { DesiredReplicas } from "./desired-replicas.ts";
import { byAge } from "./desired-replicas.ts";
import { rolloutLimits, specReplicas } from "./replica-counts.ts";

/** The annotation with the Deployment's replicas at the time it last scaled a ReplicaSet. */
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";

/** The annotation with the maximum number of pods at that time. */
export const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** Returns whether a Deployment was scaled since its ReplicaSets were last updated. */
export function wasScaled(deployment: Deployment, replicaSets: readonly ReplicaSet[]): boolean {
  const wanted = String(deployment.spec.replicas);
  return replicaSets
    .filter(({ spec }) => spec.replicas > 0)
    .some(({ metadata }) => (metadata.annotations?.[desiredAnnotation] ?? wanted) !== wanted);
}

/**
 * Distributes a new number of replicas over the ReplicaSets in proportion to their sizes, so that scaling
 * during a rollout does not change how far it has come. The rounding remainder goes to the largest.
 */
export function proportionalReplicas(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
): DesiredReplicas {
  const active = replicaSets.filter(({ spec }) => spec.replicas > 0);
  const replicas = deployment.spec.replicas;
  const [single] = active;
  if (active.length <= 1) {
    return new Map(single ? [[single.metadata.name ?? "", replicas] as const] : []);
  }
  const total = specReplicas(active);
  const allowed = replicas > 0 ? replicas + rolloutLimits(deployment).maxSurge : 0;
  const sorted = [...active].sort((a, b) => b.spec.replicas - a.spec.replicas || byAge(a, b));
  let left = allowed - total;
  const next = new Map<string, number>();
  for (const { metadata, spec } of sorted) {
    const now = spec.replicas;
    const share = limit(Math.round((now * allowed) / total) - now, left);
    next.set(metadata.name ?? "", now + share);
    left -= share;
  }
  const largest = sorted[0]!.metadata.name ?? "";
  next.set(largest, Math.max(0, next.get(largest)! + left));
  return next;
}

/** A share never exceeds what is left to add or remove, and never goes in the other direction. */
function limit(share: number, left: number): number {
  return left > 0 ? Math.max(0, Math.min(share, left)) : Math.min(0, Math.max(share, left));
}
