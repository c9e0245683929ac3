/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { LastBackup } from "../../api/v1/maria_types.ts";

/** Returns the result of a Job; undefined while it runs. */
export function resultOf({ status }: Job): "Succeeded" | "Failed" | undefined {
  const ended = status?.conditions?.find(
    ({ type, status: holds }) => holds === "True" && (type === "Complete" || type === "Failed"),
  );
  if (!ended) return undefined;
  return ended.type === "Complete" ? "Succeeded" : "Failed";
}

/** The last finished backup, and the completion time of the last successful one. */
export function summarizeBackups(jobs: readonly Job[]): {
  last?: LastBackup;
  lastGoodTime?: string;
} {
  const ended = jobs
    .flatMap((job) => {
      const { name = "" } = job.metadata;
      const result = resultOf(job);
      return result ? [{ job: name, completionTime: endOf(job), result }] : [];
    })
    .toSorted((a, b) => (a.completionTime < b.completionTime ? 1 : -1));
  const [last] = ended;
  const lastGoodTime = ended.find(({ result }) => result === "Succeeded")?.completionTime;
  return { ...(last ? { last } : {}), ...(lastGoodTime ? { lastGoodTime } : {}) };
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
