import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ReplicaSet, ReplicaSetStatus } from "./replica-sets.ts";
import type { LooseCondition, Pod } from "../../../../control-loop/api/core.ts";
import { matchesLabels } from "../../../../control-loop/matches-labels.ts";
import { isActive, isAvailable, isFinished, isReady } from "../../../../control-loop/pods/pod-state.ts";
import { positiveCounts } from "../../../../control-loop/positive-counts.ts";

/** Computes the status of a ReplicaSet from its pods, and from the message if the server rejected one. */
export function replicaSetStatus(
  replicaSet: ReplicaSet,
  owned: readonly Pod[],
  refusal: string | undefined,
  now: number,
): ReplicaSetStatus {
  const pods = owned.filter(isActive);
  const { template, minReadySeconds } = replicaSet.spec;
  const templateLabels = template.metadata?.labels ?? {};
  const conditions = conditionsOf(replicaSet, refusal, now);
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
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** A known failure keeps its first message, or each attempt would change the status. */
function conditionsOf({ status }: ReplicaSet, refusal: string | undefined, now: number): LooseCondition[] {
  const before = status?.conditions ?? [];
  if (refusal === undefined) return before.filter(({ type }) => type !== "ReplicaFailure");
  if (before.some(({ type }) => type === "ReplicaFailure")) return before;
  const failure = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: refusal,
  } as const;
  return [...before, { ...failure, lastTransitionTime: formatTime(now) }];
}
