import { findController } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/patch";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type CronJob, cronJobs, type Job, jobs } from "../api/batch.ts";
import { type Controller, type ControllerContext, userOf } from "../controller.ts";
import { finishedCondition } from "../job/job-conditions.ts";
import { findByKey, keysOfOwner } from "../keys.ts";
import { reporter } from "../record-event.ts";
import { dueTimes } from "./due-times.ts";
import { cronStatus, jobFor, spentJobs } from "./scheduled-jobs.ts";

const user = userOf("cronjob");

/** Makes the Jobs of a CronJob when its schedule says so. */
export function cronJobController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const report = reporter(context, "cronjob-controller");
  return {
    name: "cronjob",
    watches: [cronJobs, jobs],
    keysOf: (event) => keysOfOwner(objects, cronJobs, "CronJob", event),

    async reconcile(key) {
      const cronJob = findByKey(objects, cronJobs, key);
      if (!cronJob || cronJob.metadata.deletionTimestamp) return undefined;
      for (const job of spentJobs(cronJob, jobsOf(cronJob))) {
        await objects.delete(user, job, { propagationPolicy: "Background" });
      }
      return cronJob.spec.suspend ? writeStatus(cronJob) : schedule(cronJob);
    },
  };

  function jobsOf({ metadata }: CronJob): Job[] {
    return objects.list(jobs, metadata.namespace).filter((job) => findController(job)?.uid === metadata.uid);
  }

  async function schedule(cronJob: CronJob): Promise<number | undefined> {
    const { schedule, timeZone } = cronJob.spec;
    const since = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp!);
    const times = findTimes(schedule, timeZone, new Date(since));
    if (!times) {
      const message = `unparseable schedule: ${JSON.stringify(schedule)}`;
      await report(cronJob, "Warning", "UnparseableSchedule", message);
      return undefined;
    }
    const due = times.last && mayStart(cronJob, times.last) ? times.last : undefined;
    const started = due && (await start(cronJob, due));
    await writeStatus(cronJob, started ? due : undefined);
    return times.next && Math.max(1, times.next.getTime() - clock.now().getTime());
  }

  function findTimes(schedule: string, timeZone: string | undefined, since: Date) {
    try {
      return dueTimes(schedule, timeZone, since, clock.now());
    } catch {
      return undefined;
    }
  }

  function mayStart(cronJob: CronJob, due: Date): boolean {
    const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
    const late = clock.now().getTime() - due.getTime();
    if (startingDeadlineSeconds !== undefined && late > startingDeadlineSeconds * 1000) return false;
    return concurrencyPolicy !== "Forbid" || jobsOf(cronJob).every(finishedCondition);
  }

  /** A Job's name follows from its time, so that one time never makes two. */
  async function start(cronJob: CronJob, due: Date): Promise<boolean> {
    if (cronJob.spec.concurrencyPolicy === "Replace") {
      for (const job of jobsOf(cronJob).filter((job) => !finishedCondition(job))) {
        await objects.delete(user, job, { propagationPolicy: "Background" });
      }
    }
    const job = jobFor(cronJob, due);
    const exists = objects.get(jobs, job.metadata.namespace, job.metadata.name!) !== undefined;
    if (!exists) {
      await objects.create(user, job);
      await report(cronJob, "Normal", "SuccessfulCreate", `Created job ${job.metadata.name}`);
    }
    return true;
  }

  async function writeStatus(cronJob: CronJob, scheduled?: Date): Promise<undefined> {
    const lastScheduleTime = scheduled ? formatTime(scheduled) : cronJob.status?.lastScheduleTime;
    const status = cronStatus(jobsOf(cronJob), cronJob.status?.lastSuccessfulTime, lastScheduleTime);
    if (!isEqual(status, cronJob.status ?? {})) {
      await objects.update(user, { ...cronJob, status }, "status");
    }
  }
}
