import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import type { CronJob, Job } from "../api/batch.ts";
import { finishedCondition } from "../job/job-conditions.ts";

/** Makes the Job of one time. */
export function jobFor(cronJob: CronJob, due: Date): Job {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const minute = Math.floor(due.getTime() / 60_000);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${cronJob.metadata.name}-${minute}`,
      namespace: cronJob.metadata.namespace!,
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: {
        ...metadata?.annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": due.toISOString().replace(".000", ""),
      },
      ownerReferences: [ownerReferenceTo(cronJob)],
    },
    spec: structuredClone(spec),
  };
}

/** The finished Jobs that a CronJob no longer keeps, the oldest ones. */
export function spentJobs({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec;
  const ended = (type: string) =>
    jobs
      .filter((job) => finishedCondition(job)?.type === type)
      .sort((a, b) => ((a.status?.startTime ?? "") < (b.status?.startTime ?? "") ? -1 : 1));
  return [
    ...ended("Complete").slice(0, -successfulJobsHistoryLimit || Number.MAX_SAFE_INTEGER),
    ...ended("Failed").slice(0, -failedJobsHistoryLimit || Number.MAX_SAFE_INTEGER),
  ].filter(({ metadata }) => !metadata.deletionTimestamp);
}

/** The status of a CronJob: its Jobs at work, and when it last started one and last had success. */
export function cronStatus(
  jobs: readonly Job[],
  lastSuccess: string | undefined,
  lastScheduleTime: string | undefined,
): NonNullable<CronJob["status"]> {
  const active = jobs
    .filter((job) => !finishedCondition(job) && !job.metadata.deletionTimestamp)
    .map(({ apiVersion, kind, metadata }) => ({
      apiVersion,
      kind,
      namespace: metadata.namespace!,
      name: metadata.name!,
      uid: metadata.uid!,
    }));
  const successes = jobs.flatMap(({ status }) => status?.completionTime ?? []);
  const lastSuccessfulTime = [...successes, ...(lastSuccess ? [lastSuccess] : [])].sort().at(-1);
  return {
    ...(active.length > 0 ? { active } : {}),
    ...(lastScheduleTime ? { lastScheduleTime } : {}),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  };
}
