import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { Stored } from "../../../../contract/stored.ts";
import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import type { CronJob } from "./cron-jobs.ts";
import type { Job } from "../../job/controller/jobs.ts";
import { finishedCondition } from "../../job/controller/job-conditions.ts";

/** Builds the Job for a scheduled time. */
export function jobFor(cronJob: CronJob, due: number): Stored<batch.Job> {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const minute = Math.floor(due / 60_000);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${cronJob.metadata.name}-${minute}`,
      namespace: cronJob.metadata.namespace!,
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: {
        ...metadata?.annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": zonedTime(due, cronJob.spec.timeZone),
      },
      ownerReferences: [ownerReferenceTo(cronJob)],
    },
    spec: structuredClone(spec),
  };
}

/** Formats a time in a time zone. Default: UTC. */
function zonedTime(time: number, timeZone = "UTC"): string {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const zone = format.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const offset = zone.replace("GMT", "");
  if (offset === "" || offset === "+00:00") return new Date(time).toISOString().replace(".000", "");
  const [hours, minutes] = offset.split(":").map(Number);
  const shift = Math.abs(hours!) * 60 + (minutes ?? 0);
  const local = new Date(time + (offset.startsWith("-") ? -shift : shift) * 60_000);
  return `${local.toISOString().slice(0, 19)}${offset}`;
}

/** The oldest finished Jobs beyond the history limits of a CronJob. */
export function spentJobs({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec;
  const ended = (type: string) =>
    jobs
      .filter((job) => finishedCondition(job)?.type === type)
      .sort((a, b) => ((a.status?.startTime ?? "") < (b.status?.startTime ?? "") ? -1 : 1));
  return [
    ...ended("Complete").slice(0, -successfulJobsHistoryLimit || Number.MAX_SAFE_INTEGER),
    ...ended("Failed").slice(0, -failedJobsHistoryLimit || Number.MAX_SAFE_INTEGER),
  ].filter(({ metadata }) => !metadata.deletionTimestamp);
}

/**
 * The status of a CronJob: its active Jobs, when it last started one and when one last succeeded. The
 * reference to a known Job stays as it is, so that the Job's progress does not change the status.
 */
export function cronStatus(
  { status = {} }: CronJob,
  jobs: readonly Job[],
  lastScheduleTime: string | undefined,
): NonNullable<CronJob["status"]> {
  const active = jobs
    .filter((job) => !finishedCondition(job) && !job.metadata.deletionTimestamp)
    .map((job) => status.active?.find(({ uid }) => uid === job.metadata.uid) ?? referenceTo(job));
  const successes = jobs.flatMap((job) => job.status?.completionTime ?? []);
  const before = status.lastSuccessfulTime;
  const lastSuccessfulTime = [...successes, ...(before ? [before] : [])].sort().at(-1);
  return {
    ...(active.length > 0 ? { active } : {}),
    ...(lastScheduleTime ? { lastScheduleTime } : {}),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  };
}

function referenceTo({ apiVersion, kind, metadata }: Job) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    namespace: namespace!,
    name: name!,
    uid: uid!,
    resourceVersion: resourceVersion!,
  };
}
