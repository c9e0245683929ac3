/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Client, findController } from "@tsbuilder/runtime";
import { type ContainerStateTerminated, Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { sizeOf } from "./maria_names.ts";
import type { Observed } from "./maria_observed.ts";

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

/** How a container ended; one that is restarting has that in its last state. */
export function endOf({ status }: Pod, container: string): ContainerStateTerminated | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  const { state, lastState } =
    [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container) ?? {};
  return state?.terminated ?? lastState?.terminated;
}
