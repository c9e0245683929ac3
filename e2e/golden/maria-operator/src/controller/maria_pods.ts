/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Client, findController } from "@tsbuilder/runtime";
import { type ContainerStatus, Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { ALLOW_REINIT_ANNOTATION, namesOf, sizeOf } from "./maria_names.ts";
import { isReady, type Observed } from "./maria_observed.ts";
import { Problem } from "./maria_problem.ts";

/** Exit code of `init.sh` when it refuses to initialize a primary that had data. */
const PRIMARY_DATA_LOST = 3;

/** Exit code of `start.sh` when the primary has purged the logs that the replica needs. */
const REPLICA_STALE = 4;

/** Problems that the servers' scripts report by exit code; those of the primary come first. */
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
        `the volume of ${name} is empty but had data before; restore it, or annotate with ${ALLOW_REINIT_ANNOTATION} to start empty`,
      );
    }
    if (name !== primaryPod && endedWith(containerStatuses, REPLICA_STALE)) {
      return new Problem(
        "ReplicaStale",
        `the primary has purged the logs that ${name} needs; delete pvc data-${name} and the pod to start it as a copy`,
      );
    }
    return [];
  });
}

/**
 * Deletes pods of an older revision that can't start: a StatefulSet waits for each pod to be ready before it
 * continues, so after a bad image it would wait forever, even once the spec is fixed.
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

/** A container that is restarting has its exit code in its last state. */
function endedWith(containers: readonly ContainerStatus[], exitCode: number): boolean {
  return containers.some(({ state, lastState }) => {
    const end = state?.terminated ?? lastState?.terminated;
    return end?.exitCode === exitCode;
  });
}
