import { isEqual } from "@tsbuilder/apimachinery/json";
import { findController, ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { Cron } from "croner";
import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import { type Job, jobs } from "./job/job-progress.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { finishedCondition } from "./job/job-outcome.ts";
import { findByKey, keysOfOwner } from "../../control-loop/keys.ts";
import { type ReportingContext, reporting } from "../../control-loop/record-event.ts";
import type { Stored } from "../../contract/stored.ts";
import type { Defaulted } from "../../control-loop/defaulted.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";

export type CronJob = Defaulted<
  Stored<batch.CronJob>,
  "successfulJobsHistoryLimit" | "failedJobsHistoryLimit"
>;

export const cronJobs: ResourceName<CronJob> = "cronjobs.batch";

/** The times of a schedule. */
interface DueTimes {
  /** The last time after the given one that is not in the future. */
  readonly last: number | undefined;
  /** How many such times there are, up to a hundred. */
  readonly missed: number;
  readonly next: number | undefined;
}

const most = 100;

/** Finds when a schedule was due since a given time, and when it is due next. Default time zone: UTC. */
export function dueTimes(
  schedule: string,
  timeZone: string | undefined,
  since: number,
  now: number,
): DueTimes {
  const cron = new Cron(schedule, { timezone: timeZone ?? "UTC", paused: true });
  const after = (time: number) => cron.nextRun(new Date(time))?.getTime();
  let last: number | undefined;
  let missed = 0;
  for (let time = after(since); time !== undefined && time <= now; time = after(time)) {
    last = time;
    missed++;
    if (missed < most) continue;
    last = cron.previousRuns(1, new Date(now))[0]?.getTime() ?? last;
    break;
  }
  return { last, missed, next: after(now) };
}

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

/** Builds the Job for a scheduled time. */
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
function spentJobs({ spec }: CronJob, jobs: readonly Job[]): Job[] {
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
