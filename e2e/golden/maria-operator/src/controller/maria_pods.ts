/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { findCondition, type Stored } from "@tsbuilder/runtime";
import type { ContainerStatus, Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { Place } from "./maria_sql.ts";

const ordinalSuffix = /-(\d+)$/;

/** The servers' pods in the order of their ordinals. A pod is outdated if the StatefulSet has another template by now. */
export function placesOf(pods: readonly Stored<Pod>[], revision: string | undefined): Place[] {
  return pods
    .map((pod) => ({
      ordinal: Number(ordinalSuffix.exec(pod.metadata.name)?.[1]),
      namespace: pod.metadata.namespace,
      name: pod.metadata.name,
      pod: pod.metadata.uid,
      host: pod.status?.podIP || undefined,
      isOutdated: isOutdated(pod, revision),
      trouble: troubleOf(pod),
    }))
    .sort((one, other) => one.ordinal - other.ordinal);
}

/** One that is being deleted already is made anew by itself. */
function isOutdated(
  { metadata: { deletionTimestamp, labels } }: Stored<Pod>,
  revision = "",
): boolean {
  return !deletionTimestamp && revision !== "" && labels?.["controller-revision-hash"] !== revision;
}

/** What keeps a pod from working, in Kubernetes' own words; empty if nothing does. */
function troubleOf({ metadata, status }: Stored<Pod>): string {
  if (metadata.deletionTimestamp) return "its pod is being deleted";
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  if (scheduled?.status === "False") return scheduled.message || "its pod can't be scheduled";
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ];
  return containers.map(troubleIn).find((trouble) => trouble !== "") ?? "";
}

function troubleIn({ name, state, lastState }: ContainerStatus): string {
  const { waiting, terminated } = state ?? {};
  if (terminated && terminated.exitCode !== 0)
    return `container ${name} exited with ${terminated.exitCode}`;
  if (!waiting || waiting.reason === "PodInitializing" || waiting.reason === "ContainerCreating")
    return "";
  const code = lastState?.terminated?.exitCode;
  const last = code === undefined ? "" : `, and exited with ${code}: see its log`;
  return `container ${name}: ${waiting.reason}${waiting.message ? ` (${waiting.message})` : ""}${last}`;
}
