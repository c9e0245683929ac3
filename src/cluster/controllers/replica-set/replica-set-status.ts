import type { ReplicaSet, ReplicaSetStatus } from "../api/apps.ts";
import type { Pod } from "../api/core.ts";
import { matchesLabels } from "../matches-labels.ts";
import { isActive, isAvailable, isFinished, isReady } from "../pods/pod-state.ts";
import { positiveCounts } from "../positive-counts.ts";

/** What a ReplicaSet's pods make of its status. */
export function replicaSetStatus(replicaSet: ReplicaSet, owned: readonly Pod[], now: Date): ReplicaSetStatus {
  const pods = owned.filter(isActive);
  const { template, minReadySeconds } = replicaSet.spec;
  const templateLabels = template.metadata?.labels ?? {};
  const conditions = replicaSet.status?.conditions;
  const count = (holds: (pod: Pod) => boolean) => pods.filter(holds).length;
  return {
    replicas: pods.length,
    ...positiveCounts({
      fullyLabeledReplicas: count((pod) => matchesLabels(templateLabels, pod.metadata.labels)),
      readyReplicas: count(isReady),
      availableReplicas: count((pod) => isAvailable(pod, minReadySeconds, now)),
    }),
    terminatingReplicas: owned.filter((pod) => pod.metadata.deletionTimestamp && !isFinished(pod)).length,
    observedGeneration: replicaSet.metadata.generation ?? 0,
    ...(conditions ? { conditions } : {}),
  };
}
