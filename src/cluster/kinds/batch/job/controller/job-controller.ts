import { type Job, jobs } from "./jobs.ts";
import { type Pod, pods } from "../../../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { type ReportedError, reportedFailure } from "../../../../control-loop/failures.ts";
import { findByKey, keysOfOwner } from "../../../../control-loop/keys.ts";
import { reporting, type ReportingContext } from "../../../../control-loop/record-event.ts";
import { countEnded } from "./count-ended.ts";
import { finishedCondition } from "./job-conditions.ts";
import { announced, jobOutcome } from "./job-outcome.ts";
import { claimPods, end, releaseOrphans, scale } from "./job-pods.ts";
import { isTracked, jobProgress, untilDeadline } from "./job-progress.ts";
import { nextPods } from "./next-pods.ts";
import { removeWhenDue } from "./remove-when-due.ts";
import { type Failures, withFailures } from "./retry-delay.ts";

/** The value of managedBy for this controller. */
const ownName = "kubernetes.io/job-controller";

/** Runs the pods of a Job until enough have succeeded or too many have failed. */
export function jobController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const steps = reporting(context, userOf("job"), "job-controller");
  /** The failures of unfinished Jobs, which determine their backoff. */
  const failures = new Map<string, Failures>();
  return {
    watches: [jobs, pods],

    /** A pod that waits to be counted may have no Job any more; any key of its namespace finds it then. */
    keysOf(event) {
      const keys = keysOfOwner(objects, jobs, "Job", event);
      const isWaiting = event.resource === pods && isTracked(event.object as Pod);
      return isWaiting && keys.length === 0 ? [`${event.object.metadata.namespace}/`] : keys;
    },

    async reconcile(key) {
      const job = findByKey(objects, jobs, key);
      const isOurs = job && !finishedCondition(job) && !isManagedElsewhere(job);
      const retry = isOurs ? await run(key, job) : 0;
      await releaseOrphans(steps, key.slice(0, key.indexOf("/")));
      const next = findByKey(objects, jobs, key);
      if (!next || finishedCondition(next)) {
        failures.delete(key);
        return next && removeWhenDue(steps, next);
      }
      if (isManagedElsewhere(next) || announced(next)) return undefined;
      const deadline = untilDeadline(next, clock.now());
      return retry > 0 ? Math.min(retry, deadline ?? retry) : deadline;
    },
  };

  /** Takes the next step of a Job; returns after how many milliseconds to requeue it. */
  async function run(key: string, job: Job): Promise<number> {
    const owned = await claimPods(steps, job);
    const progress = jobProgress(job, owned);
    const outcome = jobOutcome(job, owned, progress, clock.now());
    const failed = withFailures(failures.get(key), progress);
    const next = nextPods(job, owned, progress, failed, clock.now());
    let refused: ReportedError | undefined;
    if (outcome) await end(steps, job, progress.active);
    else if (!job.metadata.deletionTimestamp) refused = await reportedFailure(scale(steps, job, next));
    await reportSuspension(steps, job);
    const counted = await countEnded(steps, job, owned, progress, outcome);
    if (failed) failures.set(key, failed);
    else failures.delete(key);
    if (finishedCondition(counted)) await reportEnd(steps, counted);
    if (refused) throw refused;
    return outcome || job.metadata.deletionTimestamp ? 0 : next.wait;
  }
}

/** Whether another controller runs the pods of a Job. */
function isManagedElsewhere({ spec }: Job): boolean {
  return (spec.managedBy ?? ownName) !== ownName;
}

async function reportEnd({ report }: ReportingContext, job: Job): Promise<void> {
  const { type, reason = "", message = "" } = finishedCondition(job)!;
  if (type === "Failed") return report(job, "Warning", reason, message);
  const { completions } = job.spec;
  if (completions !== undefined && (job.status?.succeeded ?? 0) > completions) {
    const surplus = "Too many succeeded pods running after completion count reached";
    await report(job, "Warning", "TooManySucceededPods", surplus);
  }
  await report(job, "Normal", "Completed", "Job completed");
}

async function reportSuspension({ report }: ReportingContext, job: Job): Promise<void> {
  const was = job.status?.conditions?.find(({ type }) => type === "Suspended")?.status === "True";
  if (job.spec.suspend && !was) await report(job, "Normal", "Suspended", "Job suspended");
  if (!job.spec.suspend && was) await report(job, "Normal", "Resumed", "Job resumed");
}
