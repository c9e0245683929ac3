import { type Job, jobs } from "./jobs.ts";
import { pods } from "../../../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { type ReportedError, reportedFailure } from "../../../../control-loop/failures.ts";
import { findByKey, keysOfOwner } from "../../../../control-loop/keys.ts";
import { reporting, type ReportingContext } from "../../../../control-loop/record-event.ts";
import { countEnded } from "./count-ended.ts";
import { finishedCondition } from "./job-conditions.ts";
import { jobOutcome } from "./job-outcome.ts";
import { nameLabel } from "./job-pod.ts";
import { end, podsOf, releaseOrphans, scale } from "./job-pods.ts";
import { jobProgress, untilDeadline } from "./job-progress.ts";
import { nextPods } from "./next-pods.ts";
import { removeWhenDue } from "./remove-when-due.ts";
import { type Failures, withFailures } from "./retry-delay.ts";

/** Runs the pods of a Job until enough have succeeded or too many have failed. */
export function jobController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const steps = reporting(context, userOf("job"), "job-controller");
  const { report } = steps;
  /** The failures of unfinished Jobs, which determine their backoff. */
  const failures = new Map<string, Failures>();
  return {
    watches: [jobs, pods],
    keysOf(event) {
      const keys = keysOfOwner(objects, jobs, "Job", event);
      const name = event.object.metadata.labels?.[nameLabel];
      return name === undefined
        ? keys
        : [...new Set([...keys, `${event.object.metadata.namespace}/${name}`])];
    },

    async reconcile(key) {
      const job = findByKey(objects, jobs, key);
      await releaseOrphans(steps, key, job);
      if (!job || finishedCondition(job)) failures.delete(key);
      if (!job) return undefined;
      if (finishedCondition(job)) return removeWhenDue(steps, job);
      const retry = await run(key, job);
      const next = findByKey(objects, jobs, key);
      if (!next || finishedCondition(next)) return next && removeWhenDue(steps, next);
      const deadline = untilDeadline(next, clock.now());
      return retry > 0 ? Math.min(retry, deadline ?? retry) : deadline;
    },
  };

  /** Takes the next step of a Job; returns after how many milliseconds to requeue it. */
  async function run(key: string, job: Job): Promise<number> {
    const owned = podsOf(steps, job);
    const progress = jobProgress(job, owned);
    const outcome = jobOutcome(job, owned, progress, clock.now());
    const failed = withFailures(failures.get(key), progress);
    const next = nextPods(job, owned, progress, failed, clock.now());
    let refused: ReportedError | undefined;
    if (outcome) await end(steps, job, progress.active);
    else if (!job.metadata.deletionTimestamp) refused = await reportedFailure(scale(steps, job, next));
    await reportSuspension(steps, job);
    await countEnded(steps, job, owned, progress, outcome);
    if (failed) failures.set(key, failed);
    else failures.delete(key);
    if (outcome?.type === "Complete") await report(job, "Normal", "Completed", "Job completed");
    if (outcome?.type === "Failed") await report(job, "Warning", outcome.reason, outcome.message);
    if (refused) throw refused;
    return outcome || job.metadata.deletionTimestamp ? 0 : next.wait;
  }
}

async function reportSuspension({ report }: ReportingContext, job: Job): Promise<void> {
  const was = job.status?.conditions?.find(({ type }) => type === "Suspended")?.status === "True";
  if (job.spec.suspend && !was) await report(job, "Normal", "Suspended", "Job suspended");
  if (!job.spec.suspend && was) await report(job, "Normal", "Resumed", "Job resumed");
}
