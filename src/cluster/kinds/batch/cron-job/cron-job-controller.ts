import { isEqual } from "@tsbuilder/apimachinery/json";
import { findController, ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { cronTimes, formatTime } from "@tsbuilder/apimachinery/time";
import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import { type Job, finishedCondition, jobs } from "../job/job-progress.ts";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { findByKey, keysOfOwner } from "../../../control-loop/keys.ts";
import { referenceTo, reporting } from "../../../control-loop/record-event.ts";
import type { Stored } from "../../../contract/api-object.ts";
import type { Defaulted } from "../../../control-loop/api/core.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";

export type CronJob = Defaulted<
  Stored<batch.CronJob>,
  "successfulJobsHistoryLimit" | "failedJobsHistoryLimit"
>;

export const cronJobs: ResourceName<CronJob> = "cronjobs.batch";
const user = userOf("cronjob");

/** Creates the Jobs of a CronJob on its schedule. */
export function cronJobController(context: ControllerContext): Controller {
  const { objects, clock, report } = reporting(context, user, "cronjob-controller");
  /** The schedules at the last reconcile, by the key of their CronJob. */
  const schedules = new Map<string, string>();
  return {
    watches: [cronJobs, jobs],
    keysOf: (event) => keysOfOwner(objects, cronJobs, "CronJob", event),

    async reconcile(key) {
      const cronJob = findByKey(objects, cronJobs, key);
      if (!cronJob) schedules.delete(key);
      if (!cronJob || cronJob.metadata.deletionTimestamp) return undefined;
      const owned = jobsOf(cronJob);
      const surplus = jobsBeyondHistory(cronJob, owned);
      for (const job of surplus) await end(cronJob, job);
      await reportEnded(cronJob, owned, surplus);
      return cronJob.spec.suspend ? writeStatus(cronJob) : schedule(key, cronJob);
    },
  };

  /** Reports which of the Jobs that were active before have finished, and which have disappeared. */
  async function reportEnded(
    cronJob: CronJob,
    owned: readonly Job[],
    surplus: readonly Job[],
  ): Promise<void> {
    for (const { name, uid } of cronJob.status?.active ?? []) {
      const job = owned.find(({ metadata }) => metadata.uid === uid);
      const outcome = job && finishedCondition(job)?.type;
      if (!job) await report(cronJob, "Normal", "MissingJob", `Active job went missing: ${name}`);
      if (!job || !outcome || surplus.includes(job)) continue;
      await report(cronJob, "Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${outcome}`);
    }
  }

  async function end(cronJob: CronJob, job: Job): Promise<void> {
    await objects.delete(user, job, { propagationPolicy: "Background" });
    await report(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
  }

  function jobsOf({ metadata }: CronJob): Job[] {
    return objects.list(jobs, metadata.namespace).filter((job) => findController(job)?.uid === metadata.uid);
  }

  async function schedule(key: string, cronJob: CronJob): Promise<number | undefined> {
    const { schedule, timeZone } = cronJob.spec;
    const isChanged = (schedules.get(key) ?? schedule) !== schedule;
    schedules.set(key, schedule);
    const since = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp!);
    const times = findTimes(schedule, timeZone, since, clock.now());
    if (!times) {
      const message = `unparseable schedule: ${JSON.stringify(schedule)}`;
      await report(cronJob, "Warning", "UnparseableSchedule", message);
      return undefined;
    }
    // Times before the schedule was changed were not missed.
    const due = !isChanged && times.last && (await mayStart(cronJob, times.last)) ? times.last : undefined;
    if (due) await start(cronJob, due);
    await writeStatus(cronJob, due);
    return times.next && Math.max(1, times.next - clock.now());
  }

  async function mayStart(cronJob: CronJob, due: number): Promise<boolean> {
    const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
    const late = clock.now() - due;
    if (startingDeadlineSeconds !== undefined && late > startingDeadlineSeconds * 1000) return false;
    if (concurrencyPolicy !== "Forbid" || jobsOf(cronJob).every(finishedCondition)) return true;
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    await report(cronJob, "Normal", "JobAlreadyActive", message);
    return false;
  }

  /** A Job's name is derived from its scheduled time, so that there are never two for the same time. */
  async function start(cronJob: CronJob, due: number): Promise<void> {
    if (cronJob.spec.concurrencyPolicy === "Replace") {
      const running = jobsOf(cronJob).filter((job) => !finishedCondition(job));
      for (const job of running) await end(cronJob, job);
    }
    const job = jobFor(cronJob, due);
    if (objects.get(jobs, job.metadata.namespace, job.metadata.name!)) return;
    await objects.create(user, job);
    await report(cronJob, "Normal", "SuccessfulCreate", `Created job ${job.metadata.name}`);
  }

  async function writeStatus(cronJob: CronJob, scheduled?: number): Promise<undefined> {
    const lastScheduleTime = scheduled ? formatTime(scheduled) : cronJob.status?.lastScheduleTime;
    const status = cronStatus(cronJob, jobsOf(cronJob), lastScheduleTime);
    if (isEqual(status, cronJob.status ?? {})) return;
    await objects.update(user, { ...cronJob, status }, "status");
  }
}

/** The times of a schedule on both sides of now. */
interface DueTimes {
  /** The last time after the given one that is not in the future. */
  readonly last: number | undefined;
  readonly next: number | undefined;
}

/** Returns undefined for a schedule that this controller can't follow. */
function findTimes(...args: Parameters<typeof dueTimes>): DueTimes | undefined {
  try {
    return dueTimes(...args);
  } catch (error) {
    const isNever = (error as Error).message.endsWith("is never due");
    return isNever ? { last: undefined, next: undefined } : undefined;
  }
}

function jobFor(cronJob: CronJob, due: number): Stored<batch.Job> {
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

/** Formats a time as the clocks of a time zone show it. Default: UTC. */
function zonedTime(time: number, timeZone = "UTC"): string {
  const offset = zoneOffset(timeZone)(time);
  const local = new Date(time + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const span = new Date(Math.abs(offset)).toISOString().slice(11, 16);
  return `${local}${offset < 0 ? "-" : "+"}${span}`;
}

/** The oldest finished Jobs beyond the history limits of a CronJob. */
function jobsBeyondHistory({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec;
  const ended = (type: string) =>
    jobs
      .filter((job) => finishedCondition(job)?.type === type)
      .sort((a, b) => ((a.status?.startTime ?? "") < (b.status?.startTime ?? "") ? -1 : 1));
  // A limit of 0 keeps no Job, but `slice(0, -0)` is empty.
  return [
    ...ended("Complete").slice(0, -successfulJobsHistoryLimit || Number.MAX_SAFE_INTEGER),
    ...ended("Failed").slice(0, -failedJobsHistoryLimit || Number.MAX_SAFE_INTEGER),
  ].filter(({ metadata }) => !metadata.deletionTimestamp);
}

/**
 * The status of a CronJob: its active Jobs, when it last started one and when one last succeeded. The
 * reference to a known Job stays as it is, so that the Job's progress does not change the status.
 */
function cronStatus(
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

/** Finds when a schedule was last due since a given time, and when it is due next. Default time zone: UTC. */
export function dueTimes(schedule: string, zone: string | undefined, since: number, now: number): DueTimes {
  const next = timesInZone(zone, cronTimes(schedule));
  return { last: findLastTime(next, since, now), next: next(now) };
}

/** Finds the last time by bisection: a CronJob that was suspended for a year may have missed half a million times. */
function findLastTime(next: (after: number) => number, since: number, now: number): number | undefined {
  let last: number | undefined;
  let end = now;
  for (let time = next(since); time <= now; time = next(time)) {
    const middle = Math.floor((time + end) / 2);
    const later = next(middle);
    if (later > now) end = middle;
    last = later > now ? time : later;
    time = last;
  }
  return last;
}

const dayMilliseconds = 24 * 60 * 60_000;

/**
 * The times at which the clocks of a time zone show a time of the schedule. As in Kubernetes, a time is left out if the
 * clocks skip it, and comes twice if they are set back over it.
 */
function timesInZone(zone: string | undefined, next: (after: number) => number): (after: number) => number {
  if (zone === undefined) return next;
  const offsetAt = zoneOffset(zone);
  return (after) => {
    for (let from = after + 1; ;) {
      const offset = offsetAt(from);
      const time = next(from + offset - 1) - offset;
      const end = Math.min(time, from + dayMilliseconds);
      if (offsetAt(end) !== offset) from = findChange(offset, offsetAt, from, end);
      else if (end === time) return time;
      else from = Math.max(end, time - 2 * dayMilliseconds);
    }
  };
}

/** The first time between two at which clocks have another offset. */
function findChange(offset: number, offsetAt: (time: number) => number, start: number, end: number): number {
  let [before, changed] = [start, end];
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2);
    if (offsetAt(middle) === offset) before = middle;
    else changed = middle;
  }
  return changed;
}

/** The milliseconds by which the clocks of a time zone are ahead of UTC. */
function zoneOffset(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return (time) => {
    const name = format.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
}
