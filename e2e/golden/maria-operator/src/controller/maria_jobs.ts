/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Stored } from "@tsbuilder/runtime";
import type { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { LastBackup } from "../../api/v1/maria_types.ts";
import { holds } from "./maria_pods.ts";

/** Returns the result of a Job; undefined while it runs. */
export function resultOf({ status }: Job): "Succeeded" | "Failed" | undefined {
  if (holds(status?.conditions, "Complete")) return "Succeeded";
  return holds(status?.conditions, "Failed") ? "Failed" : undefined;
}

/** The last finished backup, and the completion time of the last successful one. */
export function summarizeBackups(jobs: readonly Stored<Job>[]) {
  const ended = jobs
    .flatMap((job) => {
      const { name } = job.metadata;
      const result = resultOf(job);
      return result ? [{ job: name, completionTime: endOf(job), result }] : [];
    })
    .toSorted((a, b) => (a.completionTime < b.completionTime ? 1 : -1));
  const lastGood = ended.find(({ result }) => result === "Succeeded");
  return { last: ended[0], lastGoodTime: lastGood?.completionTime };
}

/** Reads the termination message of `backup.sh`: the server that it dumped, and its GTID position. */
export function sourceOf(job: string, pods: readonly Pod[]): Pick<LastBackup, "server" | "gtid"> {
  const words = pods
    .filter(({ metadata }) => metadata.labels?.["batch.kubernetes.io/job-name"] === job)
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .flatMap(({ state }) => (state?.terminated?.exitCode === 0 ? state.terminated.message : []));
  const [server, gtid] = words[0]?.trim().split(" ") ?? [];
  return { ...(server ? { server } : {}), ...(gtid ? { gtid } : {}) };
}

/** A failed Job has no completion time, but its condition has the time of failure. */
function endOf({ status }: Job): string {
  return status?.completionTime ?? status?.conditions?.at(-1)?.lastTransitionTime ?? "";
}
