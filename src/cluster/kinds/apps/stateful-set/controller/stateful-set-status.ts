import type { StatefulSet, StatefulSetStatus } from "./stateful-sets.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { isAvailable, isReady } from "../../../../control-loop/pods/pod-state.ts";
import { positiveCounts } from "../../../../control-loop/positive-counts.ts";
import { revisionOfPod } from "./stateful-pods.ts";

/**
 * Computes the status of a StatefulSet from its pods. Once all are updated and ready, updateRevision becomes
 * currentRevision.
 */
export function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  updateRevision: string,
  now: number,
): StatefulSetStatus {
  const living = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const running = living.filter(({ status }) => status?.phase === "Running");
  const count = (holds: (pod: Pod) => boolean) => living.filter(holds).length;
  const before = set.status?.currentRevision || updateRevision;
  const updated = count((pod) => revisionOfPod(pod) === updateRevision);
  const ready = running.filter(isReady).length;
  const replicas = set.spec.replicas;
  const rolls = (set.spec.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate";
  const complete = rolls && updated === pods.length && updated === replicas && ready === replicas;
  const currentRevision = complete ? updateRevision : before;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...positiveCounts({
      readyReplicas: ready,
      currentReplicas: count((pod) => revisionOfPod(pod) === currentRevision),
      updatedReplicas: updated,
    }),
    currentRevision,
    updateRevision,
    availableReplicas: running.filter((pod) => isAvailable(pod, set.spec.minReadySeconds, now)).length,
    collisionCount: set.status?.collisionCount ?? 0,
    ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
  };
}
