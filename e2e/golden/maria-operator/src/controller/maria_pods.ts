/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Client,
  findCondition,
  isConditionTrue,
  podProblem,
  type Stored,
} from "@tsbuilder/runtime";
import type { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import type { Problem } from "./maria_decide.ts";
import { labelsOf, namesOf, tlsVolume } from "./maria_resources.ts";
import type { Place } from "./maria_sql.ts";

/** The servers' pods. That of the primary runs on if somebody removes its labels. */
export async function podsOf(
  client: Client,
  mysql: Stored<Maria>,
  live: boolean,
): Promise<Stored<Pod>[]> {
  const { metadata, status } = mysql;
  const { namespace } = metadata;
  const pods = await client.list(Pod, { namespace, labels: labelsOf(mysql), live });
  const name = `${namesOf(mysql).servers}-${status?.primary}`;
  const isListed = status?.primary === undefined || pods.some((pod) => pod.metadata.name === name);
  const primary = isListed ? undefined : await client.find(Pod, { namespace, name }, { live });
  return primary ? [...pods, primary] : pods;
}

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
      // One that is being deleted already is made anew by itself.
      isOutdated: !pod.metadata.deletionTimestamp && !!revision && revisionOf(pod) !== revision,
      hasCertificate: pod.spec?.volumes?.some(({ name }) => name === tlsVolume) ?? false,
      isBroken: podProblem(pod) !== undefined,
      trouble: troubleOf(pod),
    }))
    .sort((one, other) => one.ordinal - other.ordinal);
}

function revisionOf({ metadata: { labels } }: Stored<Pod>): string | undefined {
  return labels?.["controller-revision-hash"];
}

/** Returns what keeps a pod from working, in Kubernetes' own words; empty if nothing does. */
function troubleOf(pod: Stored<Pod>): string {
  if (pod.metadata.deletionTimestamp) return "its pod is being deleted";
  return podProblem(pod)?.message ?? "";
}

/** Returns what is wrong with the newest backup, if it is neither made nor on its way. */
export function backupProblems(
  jobs: readonly Stored<Job>[],
  pods: readonly Stored<Pod>[],
): Problem[] {
  const age = ({ metadata }: Stored<Job>) => Date.parse(metadata.creationTimestamp);
  const newest = jobs.toSorted((one, other) => age(other) - age(one))[0];
  if (!newest || isConditionTrue(newest.status?.conditions, "Complete")) return [];
  const { name } = newest.metadata;
  const own = pods.filter(({ metadata }) => metadata.labels?.["job-name"] === name);
  const trouble = own.map(troubleOf).find((one) => one !== "");
  const failed = findCondition(newest.status?.conditions, "Failed");
  const why = trouble ?? (failed?.status === "True" ? failed.message : undefined);
  return why === undefined ? [] : [{ reason: "BackupFailed", message: `Job ${name}: ${why}` }];
}
