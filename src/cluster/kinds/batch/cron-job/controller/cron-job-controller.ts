import { isEqual } from "@tsbuilder/apimachinery/json";
import { findController } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type CronJob, cronJobs } from "./cron-jobs.ts";
import { type Job, jobs } from "../../job/controller/jobs.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { finishedCondition } from "../../job/controller/job-conditions.ts";
import { findByKey, keysOfOwner } from "../../../../control-loop/keys.ts";
import { reporting, type ReportingContext } from "../../../../control-loop/record-event.ts";
import { dueTimes } from "./due-times.ts";
import { cronStatus, jobFor, spentJobs } from "./scheduled-jobs.ts";

const user = userOf("cronjob");

/** What the steps of the controller work with. */
interface CronContext extends ReportingContext {
  /** The schedules at the last reconcile. */
  readonly schedules: Map<string, string>;
}

/** Creates the Jobs of a CronJob on its schedule. */
export function cronJobController(context: ControllerContext): Controller {
  const { objects } = context;
  const schedules = new Map<string, string>();
  const steps = { ...reporting(context, user, "cronjob-controller"), schedules };
  return {
    watches: [cronJobs, jobs],
    keysOf: (event) => keysOfOwner(objects, cronJobs, "CronJob", event),

    async reconcile(key) {
      const cronJob = findByKey(objects, cronJobs, key);
      if (!cronJob) schedules.delete(key);
      if (!cronJob || cronJob.metadata.deletionTimestamp) return undefined;
      const owned = jobsOf(steps, cronJob);
      const spent = spentJobs(cronJob, owned);
      for (const job of spent) await end(steps, cronJob, job);
      await reportEnded(steps, cronJob, owned, spent);
      return cronJob.spec.suspend ? writeStatus(steps, cronJob) : schedule(steps, key, cronJob);
    },
  };
}

/** Reports which of the Jobs that were active before have finished, and which have disappeared. */
async function reportEnded(
  context: CronContext,
  cronJob: CronJob,
  owned: readonly Job[],
  spent: readonly Job[],
): Promise<void> {
  const { report } = context;
  for (const { name, uid } of cronJob.status?.active ?? []) {
    const job = owned.find(({ metadata }) => metadata.uid === uid);
    const outcome = job && finishedCondition(job)?.type;
    if (!job) await report(cronJob, "Normal", "MissingJob", `Active job went missing: ${name}`);
    if (!job || !outcome || spent.includes(job)) continue;
    await report(cronJob, "Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${outcome}`);
  }
}

async function end(context: CronContext, cronJob: CronJob, job: Job): Promise<void> {
  const { objects, report } = context;
  await objects.delete(user, job, { propagationPolicy: "Background" });
  await report(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
}

function jobsOf(context: CronContext, { metadata }: CronJob): Job[] {
  const { objects } = context;
  return objects.list(jobs, metadata.namespace).filter((job) => findController(job)?.uid === metadata.uid);
}

async function schedule(context: CronContext, key: string, cronJob: CronJob): Promise<number | undefined> {
  const { clock, report, schedules } = context;
  const { schedule, timeZone } = cronJob.spec;
  const isNew = (schedules.get(key) ?? schedule) !== schedule;
  schedules.set(key, schedule);
  const since = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp!);
  const times = findTimes(context, schedule, timeZone, since);
  if (!times) {
    const message = `unparseable schedule: ${JSON.stringify(schedule)}`;
    await report(cronJob, "Warning", "UnparseableSchedule", message);
    return undefined;
  }
  // Times before the schedule was changed were not missed.
  const due = !isNew && times.last && (await mayStart(context, cronJob, times.last)) ? times.last : undefined;
  if (due) await start(context, cronJob, due);
  await writeStatus(context, cronJob, due);
  return times.next && Math.max(1, times.next - clock.now());
}

function findTimes(context: CronContext, schedule: string, timeZone: string | undefined, since: number) {
  const { clock } = context;
  try {
    return dueTimes(schedule, timeZone, since, clock.now());
  } catch {
    return undefined;
  }
}

async function mayStart(context: CronContext, cronJob: CronJob, due: number): Promise<boolean> {
  const { clock, report } = context;
  const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  const late = clock.now() - due;
  if (startingDeadlineSeconds !== undefined && late > startingDeadlineSeconds * 1000) return false;
  if (concurrencyPolicy !== "Forbid" || jobsOf(context, cronJob).every(finishedCondition)) return true;
  const why = "Not starting job because prior execution is running and concurrency policy is Forbid";
  await report(cronJob, "Normal", "JobAlreadyActive", why);
  return false;
}

/** A Job's name is derived from its scheduled time, so that there are never two for the same time. */
async function start(context: CronContext, cronJob: CronJob, due: number): Promise<void> {
  const { objects, report } = context;
  if (cronJob.spec.concurrencyPolicy === "Replace") {
    for (const job of jobsOf(context, cronJob).filter((job) => !finishedCondition(job)))
      await end(context, cronJob, job);
  }
  const job = jobFor(cronJob, due);
  const exists = objects.get(jobs, job.metadata.namespace, job.metadata.name!) !== undefined;
  if (exists) return;
  await objects.create(user, job);
  await report(cronJob, "Normal", "SuccessfulCreate", `Created job ${job.metadata.name}`);
}

async function writeStatus(context: CronContext, cronJob: CronJob, scheduled?: number): Promise<undefined> {
  const { objects } = context;
  const lastScheduleTime = scheduled ? formatTime(scheduled) : cronJob.status?.lastScheduleTime;
  const status = cronStatus(cronJob, jobsOf(context, cronJob), lastScheduleTime);
  if (!isEqual(status, cronJob.status ?? {})) {
    await objects.update(user, { ...cronJob, status }, "status");
  }
}
