/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { findController } from "@tsbuilder/runtime";
import type { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { type ContainerStateTerminated, Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { Pass } from "./maria_observed.ts";

/**
 * Deletes pods for which a StatefulSet would wait forever, because it continues only when each is ready: those of an
 * older revision that can't start, as after a bad image, and those with passwords that were lost with both Secrets.
 */
export async function freeStuckPods({ client, observed }: Pass): Promise<void> {
  const { statefulSet, pods, credentials, config } = observed;
  const { updateRevision } = statefulSet?.status ?? {};
  if (!updateRevision) return;
  const [passwordsMade = ""] = [credentials, config]
    .map((secret) => secret?.metadata.creationTimestamp ?? "")
    .toSorted();
  const ours = pods.filter((pod) => findController(pod)?.uid === statefulSet?.metadata.uid);
  for (const pod of ours) {
    const { namespace, name, uid, labels, creationTimestamp } = pod.metadata;
    const isOld = labels?.["controller-revision-hash"] !== updateRevision && isStuck(pod.status);
    const isLockedOut = creationTimestamp < passwordsMade && !isReady(pod);
    if (pod.metadata.deletionTimestamp || !(isOld || isLockedOut)) continue;
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

export function isReady({ metadata, status }: Pod): boolean {
  return !metadata.deletionTimestamp && holds(status?.conditions, "Ready");
}

/** Returns whether a condition of a pod, a Job or a claim is true. */
export function holds(conditions: readonly State[] | undefined, wanted: string): boolean {
  return conditions?.some(({ type, status }) => type === wanted && status === "True") === true;
}

type State = { readonly type: string; readonly status: string };

/** How a container ended; one that is restarting has that in its last state. */
export function endOf({ status }: Pod, container: string): ContainerStateTerminated | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  const { state, lastState } =
    [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container) ?? {};
  return state?.terminated ?? lastState?.terminated;
}

/** How the attempts of a Job ended, the last one last. */
export function endsOf({ metadata, spec }: Job, pods: readonly Pod[]): ContainerStateTerminated[] {
  const { name = "" } = spec?.template.spec?.containers[0] ?? {};
  return pods
    .filter((pod) => findController(pod)?.uid === metadata.uid)
    .flatMap((pod) => endOf(pod, name) ?? [])
    .toSorted((a, b) => ((a.finishedAt ?? "") < (b.finishedAt ?? "") ? -1 : 1));
}
