/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Client } from "@tsbuilder/runtime";
import type { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { ALLOW_REINIT_ANNOTATION, namesOf, selectorLabels, sizeOf } from "./maria_names.ts";
import { Problem } from "./maria_problem.ts";

// Pods are read live, and only when not all of them are ready: a cache of them would cost more than it saves.

/** Tells whether the primary takes writes. */
export async function isPrimaryReady(
  client: Client,
  mysql: Maria,
  statefulSet: StatefulSet | undefined,
): Promise<boolean> {
  const size = sizeOf(mysql);
  const { readyReplicas = 0, observedGeneration = 0 } = statefulSet?.status ?? {};
  if (size === 0 || !statefulSet || readyReplicas === 0) return false;
  // Numbers of an older generation may speak of other pods.
  if (observedGeneration < (statefulSet.metadata.generation ?? 0)) return false;
  if (readyReplicas >= size) return true;
  const pod = await findPrimary(client, mysql);
  return (
    pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ??
    false
  );
}

/**
 * Takes away pods of an older revision that can't start: a StatefulSet waits for each pod to be ready before it goes
 * on, so after a bad image it would wait forever, even when the spec is right again.
 */
export async function freeStuckPods(
  client: Client,
  mysql: Maria,
  statefulSet: StatefulSet,
): Promise<void> {
  const { readyReplicas = 0, updateRevision } = statefulSet.status ?? {};
  if (!updateRevision || readyReplicas >= sizeOf(mysql)) return;
  const { namespace } = mysql.metadata;
  const pods = await client.list(Pod, {
    namespace,
    labels: selectorLabels(mysql, "server"),
    live: true,
  });
  for (const pod of pods) {
    if (pod.metadata.labels?.["controller-revision-hash"] === updateRevision || !isStuck(pod))
      continue;
    const { name = "", uid } = pod.metadata;
    await client.delete(Pod, { namespace, name }, { preconditions: { uid } });
  }
}

/** An empty primary must not start while there was data: its init container says so, and we say it louder. */
export async function findLostPrimary(
  client: Client,
  mysql: Maria,
  statefulSet: StatefulSet,
): Promise<Problem | undefined> {
  if (sizeOf(mysql) === 0 || (statefulSet.status?.readyReplicas ?? 0) >= sizeOf(mysql))
    return undefined;
  const pod = await findPrimary(client, mysql);
  const refused = pod?.status?.initContainerStatuses?.some(
    ({ state, lastState }) =>
      state?.terminated?.exitCode === PRIMARY_DATA_LOST ||
      lastState?.terminated?.exitCode === PRIMARY_DATA_LOST,
  );
  if (!refused) return undefined;
  return new Problem(
    "PrimaryDataLost",
    `the volume of ${namesOf(mysql).primaryPod} is empty and had data before; restore it, or annotate with ${ALLOW_REINIT_ANNOTATION} to start from nothing`,
    { retry: true },
  );
}

/** How `init.sh` ends when it refuses to start from nothing. */
const PRIMARY_DATA_LOST = 3;

function findPrimary(client: Client, mysql: Maria): Promise<Pod | undefined> {
  const { namespace } = mysql.metadata;
  return client.find(Pod, { namespace, name: namesOf(mysql).primaryPod }, { live: true });
}

function isStuck({ status }: Pod): boolean {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(
    ({ state }) => state?.waiting?.reason !== undefined && STUCK.has(state.waiting.reason),
  );
}

const STUCK = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "InvalidImageName",
  "CrashLoopBackOff",
  "CreateContainerConfigError",
]);
