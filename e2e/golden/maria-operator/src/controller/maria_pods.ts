/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Client, findController } from "@tsbuilder/runtime";
import { type ContainerStatus, Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { ALLOW_REINIT_ANNOTATION, namesOf, sizeOf } from "./maria_names.ts";
import { isReady, type Observed } from "./maria_observed.ts";
import { Problem } from "./maria_problem.ts";

/** How `init.sh` ends when it refuses to start a primary from nothing. */
const PRIMARY_DATA_LOST = 3;

/** How `start.sh` ends when the primary no longer has what the replica lacks. */
const REPLICA_STALE = 4;

/** What the servers' scripts had to say by their exit codes; the primary's word comes first. */
export function problemsOfPods(mysql: Maria, { pods }: Observed): Problem[] {
  const { primaryPod } = namesOf(mysql);
  const rankOf = ({ metadata }: Pod) => (metadata.name === primaryPod ? 0 : 1);
  const unready = pods.filter((pod) => !isReady(pod));
  const primaryFirst = unready.toSorted((a, b) => rankOf(a) - rankOf(b));
  return primaryFirst.flatMap(({ metadata: { name = "" }, status }) => {
    const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
    if (name === primaryPod && endedWith(initContainerStatuses, PRIMARY_DATA_LOST)) {
      return new Problem(
        "PrimaryDataLost",
        `the volume of ${name} is empty and had data before; restore it, or annotate with ${ALLOW_REINIT_ANNOTATION} to start from nothing`,
      );
    }
    if (name !== primaryPod && endedWith(containerStatuses, REPLICA_STALE)) {
      return new Problem(
        "ReplicaStale",
        `the primary's log no longer holds what ${name} lacks; delete pvc data-${name} and the pod, and it starts as a copy`,
      );
    }
    return [];
  });
}

/**
 * Takes away pods of an older revision that can't start: a StatefulSet waits for each pod to be ready before it goes
 * on, so after a bad image it would wait forever, even when the spec is right again.
 */
export async function freeStuckPods(
  client: Client,
  mysql: Maria,
  { statefulSet, pods }: Observed,
): Promise<void> {
  const { readyReplicas = 0, updateRevision } = statefulSet?.status ?? {};
  if (!updateRevision || readyReplicas >= sizeOf(mysql)) return;
  const ours = pods.filter((pod) => findController(pod)?.uid === statefulSet?.metadata.uid);
  for (const { metadata, status } of ours) {
    const isOld = metadata.labels?.["controller-revision-hash"] !== updateRevision;
    if (!isOld || metadata.deletionTimestamp || !isStuck(status)) continue;
    const { namespace, name = "", uid } = metadata;
    await client.delete(Pod, { namespace, name }, { preconditions: { uid } });
  }
}

function isStuck(status: Pod["status"]): boolean {
  const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = status ?? {};
  return (
    conditions.some(({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable") ||
    [...initContainerStatuses, ...containerStatuses].some(({ state }) =>
      STUCK.has(state?.waiting?.reason ?? ""),
    )
  );
}

const STUCK = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "InvalidImageName",
  "CrashLoopBackOff",
  "CreateContainerConfigError",
]);

/** A container that is being restarted tells of its last end. */
function endedWith(containers: readonly ContainerStatus[], exitCode: number): boolean {
  return containers.some(({ state, lastState }) => {
    const end = state?.terminated ?? lastState?.terminated;
    return end?.exitCode === exitCode;
  });
}
