import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Job, JobStatus } from "./jobs.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { isFinished } from "../../../../control-loop/pods/pod-state.ts";
import { positiveCounts } from "../../../../control-loop/positive-counts.ts";
import { announcement, conclusion, withConditions } from "./job-conditions.ts";
import type { ReportingContext } from "../../../../control-loop/record-event.ts";
import type { JobOutcome } from "./job-outcome.ts";
import { podsOf } from "./job-pods.ts";
import {
  countsAsFailure,
  hasFailed,
  isIndexed,
  isTracked,
  type JobProgress,
  jobProgress,
  progressStatus,
} from "./job-progress.ts";
import { releasePods } from "./job-tracking.ts";

/**
 * Counts the pods that have finished: their uids are recorded, then their finalizers are removed, then the
 * counts are increased. So each pod counts once, even if this is interrupted. A Job with an outcome ends when no pod
 * is terminating any more.
 */
export async function countEnded(
  context: ReportingContext,
  job: Job,
  owned: readonly Pod[],
  progress: JobProgress,
  outcome: JobOutcome | undefined,
): Promise<Job> {
  const { objects, clock, user } = context;
  const lost = outcome?.type === "Failed" ? owned.filter(isUncounted(job, progress)) : [];
  const stored = await writeStatus(context, job, progress, (status) => ({
    ...status,
    uncountedTerminatedPods: uncounted(job, progress, lost),
    ...withConditions(job, outcome ? [announcement(outcome, clock.now())] : [], clock.now()),
  }));
  // Pods that finish in the meantime are not recorded yet, so they are left for the next time.
  const ended = owned.filter((pod) => isTracked(pod) && (outcome || isFinished(pod) || hasFailed(job, pod)));
  await releasePods(objects, user, ended);
  return writeStatus(context, stored, progress, (status) => {
    const { succeeded = [], failed = [] } = stored.status?.uncountedTerminatedPods ?? {};
    const now = clock.now();
    const end = status.terminating === 0 ? outcome : undefined;
    return {
      ...status,
      ...positiveCounts({
        succeeded: (status.succeeded ?? 0) + succeeded.length,
        failed: (status.failed ?? 0) + failed.length,
      }),
      uncountedTerminatedPods: {},
      ...withConditions(stored, end ? [conclusion(end, now)] : [], now),
      ...(end?.type === "Complete" ? { completionTime: formatTime(now) } : {}),
    };
  });
}

async function writeStatus(
  context: ReportingContext,
  job: Job,
  { failedIndexes, completedIndexes }: JobProgress,
  change: (status: JobStatus) => JobStatus,
): Promise<Job> {
  const { objects, clock, user } = context;
  const started = job.spec.suspend ? undefined : (job.status?.startTime ?? formatTime(clock.now()));
  const now = { ...jobProgress(job, podsOf(context, job)), failedIndexes, completedIndexes };
  const status = change({ ...progressStatus(job, now), ...(started ? { startTime: started } : {}) });
  return isEqual(status, job.status) ? job : objects.update(user, { ...job, status }, "status");
}

/** When a Job has failed, its active pods count as failed. */
function isUncounted(job: Job, { newSucceeded, newFailed }: JobProgress): (pod: Pod) => boolean {
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const known = new Set([
    ...[...newSucceeded, ...newFailed].map(({ metadata }) => metadata.uid),
    ...succeeded,
    ...failed,
  ]);
  return (pod) =>
    isTracked(pod) && !known.has(pod.metadata.uid) && !isFinished(pod) && countsAsFailure(job, pod);
}

function uncounted(
  job: Job,
  progress: JobProgress,
  lost: readonly Pod[],
): { succeeded?: string[]; failed?: string[] } {
  const uids = (of: readonly Pod[]) => of.map(({ metadata }) => metadata.uid!);
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  // An indexed Job counts successes by completedIndexes.
  const done = isIndexed(job) ? [] : [...succeeded, ...uids(progress.newSucceeded)];
  const gone = [...failed, ...uids(progress.newFailed), ...uids(lost)];
  return { ...(done.length > 0 ? { succeeded: done } : {}), ...(gone.length > 0 ? { failed: gone } : {}) };
}
