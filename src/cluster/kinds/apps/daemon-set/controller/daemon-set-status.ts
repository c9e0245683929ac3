import type { ControllerRevision } from "../../../../control-loop/api/apps.ts";
import type { DaemonSet, DaemonSetStatus } from "./daemon-sets.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { isAvailable, isReady } from "../../../../control-loop/pods/pod-state.ts";
import { positiveCounts } from "../../../../control-loop/positive-counts.ts";
import { isOfRevision, nodeOf } from "./daemon-pods.ts";

/** Computes the status of a DaemonSet from its pods. */
export function daemonSetStatus(
  set: DaemonSet,
  wanted: readonly string[],
  pods: readonly Pod[],
  revision: ControllerRevision,
  now: number,
): DaemonSetStatus {
  const living = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const onWanted = wanted.flatMap((name) => oldest(living.filter((pod) => nodeOf(pod) === name)) ?? []);
  const count = (holds: (pod: Pod) => boolean) => onWanted.filter(holds).length;
  const available = count((pod) => isAvailable(pod, set.spec.minReadySeconds, now));
  return {
    currentNumberScheduled: onWanted.length,
    numberMisscheduled: living.filter((pod) => !wanted.includes(nodeOf(pod))).length,
    desiredNumberScheduled: wanted.length,
    numberReady: count(isReady),
    observedGeneration: set.metadata.generation ?? 0,
    ...positiveCounts({
      updatedNumberScheduled: count((pod) => isOfRevision(pod, revision)),
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
    }),
  };
}

function oldest(pods: readonly Pod[]): Pod | undefined {
  return pods.toSorted((a, b) =>
    (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1,
  )[0];
}
