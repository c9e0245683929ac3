import type { StatefulSet } from "./stateful-sets.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { burst } from "../../../../control-loop/pods/burst.ts";
import { isActive, isAvailable, isFinished } from "../../../../control-loop/pods/pod-state.ts";
import { ordinalOf, revisionOfPod } from "./stateful-pods.ts";

/** What to do next: ordinals to create pods for, and pods to delete. */
export interface Step {
  readonly create: readonly number[];
  readonly remove: readonly Pod[];
}

const nothing: Step = { create: [], remove: [] };

/**
 * The next step of a StatefulSet. With OrderedReady, pods are created one at a time from the lowest ordinal
 * and deleted from the highest, and only while all others are healthy; with Parallel, all at once. Updates
 * always go one by one from the highest ordinal down to the partition.
 */
export function nextStep(set: StatefulSet, pods: readonly Pod[], updateRevision: string, now: number): Step {
  const ordered = set.spec.podManagementPolicy === "OrderedReady";
  const wanted = firstOrdinals(set, pods.length + burst);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const healthy = (pod: Pod | undefined) =>
    pod !== undefined && isActive(pod) && isAvailable(pod, set.spec.minReadySeconds, now);

  const missing = wanted.filter((ordinal) => !byOrdinal.has(ordinal));
  const ended = wanted.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []).filter(isRestartable);
  const condemned = [...pods]
    .filter((pod) => !isWanted(set, ordinalOf(set, pod)))
    .sort((a, b) => ordinalOf(set, b) - ordinalOf(set, a));

  if (!ordered) {
    const leaving = condemned.filter(({ metadata }) => !metadata.deletionTimestamp);
    if (missing.length + ended.length + leaving.length > 0) {
      return { create: missing, remove: [...ended, ...leaving] };
    }
  } else {
    const blocked = wanted.find((ordinal) => !healthy(byOrdinal.get(ordinal)));
    if (blocked !== undefined) return unblock(blocked, byOrdinal.get(blocked));
    const [last] = condemned;
    if (last) return last.metadata.deletionTimestamp ? nothing : { create: [], remove: [last] };
  }
  return nextUpdate(set, wanted, byOrdinal, updateRevision, healthy);
}

/** The first ordinals that a set should have. */
function firstOrdinals({ spec }: StatefulSet, most: number): number[] {
  const start = spec.ordinals?.start ?? 0;
  return Array.from({ length: Math.min(spec.replicas, most) }, (_, index) => start + index);
}

function isWanted({ spec }: StatefulSet, ordinal: number): boolean {
  const start = spec.ordinals?.start ?? 0;
  return ordinal >= start && ordinal < start + spec.replicas;
}

function unblock(ordinal: number, pod: Pod | undefined): Step {
  if (!pod) return { create: [ordinal], remove: [] };
  return isRestartable(pod) ? { create: [], remove: [pod] } : nothing;
}

function nextUpdate(
  set: StatefulSet,
  wanted: readonly number[],
  byOrdinal: ReadonlyMap<number, Pod>,
  updateRevision: string,
  healthy: (pod: Pod | undefined) => boolean,
): Step {
  if ((set.spec.updateStrategy?.type ?? "RollingUpdate") !== "RollingUpdate") return nothing;
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const updatable = wanted.slice(partition).toReversed();
  for (const ordinal of updatable) {
    const pod = byOrdinal.get(ordinal);
    const outdated = pod && revisionOfPod(pod) !== updateRevision;
    if (outdated && !pod.metadata.deletionTimestamp) return { create: [], remove: [pod] };
    if (!healthy(pod)) return nothing;
  }
  return nothing;
}

/** A pod that has finished is recreated: the pods of a StatefulSet are meant to run forever. */
function isRestartable(pod: Pod): boolean {
  return isFinished(pod) && !pod.metadata.deletionTimestamp;
}
