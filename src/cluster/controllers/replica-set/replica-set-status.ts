import type { ReplicaSet, ReplicaSetStatus } from "../api/apps.ts";
import type { Pod } from "../api/core.ts";
import { matchesLabels } from "../matches-selector.ts";
import { isAvailable, isReady } from "../pods/pod-state.ts";

/** What a ReplicaSet's active pods make of its status. */
export function replicaSetStatus(replicaSet: ReplicaSet, pods: readonly Pod[], now: Date): ReplicaSetStatus {
  const { template, minReadySeconds } = replicaSet.spec;
  const templateLabels = template.metadata?.labels ?? {};
  const count = (holds: (pod: Pod) => boolean) => pods.filter(holds).length;
  return {
    ...replicaSet.status,
    replicas: pods.length,
    ...positive("fullyLabeledReplicas", count((pod) => matchesLabels(templateLabels, pod.metadata.labels))),
    ...positive("readyReplicas", count(isReady)),
    ...positive("availableReplicas", count((pod) => isAvailable(pod, minReadySeconds, now))),
    observedGeneration: replicaSet.metadata.generation ?? 0,
  };
}

/** Kubernetes leaves out counts that are zero. */
function positive<K extends string>(name: K, count: number): { [key in K]?: number } {
  return { [name]: count > 0 ? count : undefined } as { [key in K]?: number };
}
