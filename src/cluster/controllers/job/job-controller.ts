import { isEqual } from "@tsbuilder/apimachinery/json";
import { findController } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type Job, type JobStatus, jobs } from "../api/batch.ts";
import { type Pod, pods } from "../api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../controller.ts";
import { type ReportedError, toldFailure } from "../failures.ts";
import { findByKey, keysOfOwner } from "../keys.ts";
import { createPod } from "../pods/create-pod.ts";
import { isFinished } from "../pods/pod-state.ts";
import { positiveCounts } from "../positive-counts.ts";
import { reporter } from "../record-event.ts";
import { announcement, conclusion, finishedCondition, withConditions } from "./job-conditions.ts";
import { type JobOutcome, jobOutcome } from "./job-outcome.ts";
import { jobPod, nameLabel } from "./job-pod.ts";
import {
  countsAsFailure,
  hasFailed,
  isIndexed,
  isTracked,
  type JobProgress,
  jobProgress,
  progressStatus,
  untilDeadline,
} from "./job-progress.ts";
import { nextPods } from "./next-pods.ts";
import { releasePods } from "./job-tracking.ts";
import { type Failures, withFailures } from "./retry-delay.ts";

const user = userOf("job");

/** Runs the pods of a Job until enough of them have succeeded, or too many failed. */
export function jobController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const report = reporter(context, "job-controller");
  /** What decides how long unfinished Jobs wait before they try again. */
  const failures = new Map<string, Failures>();
  return {
    name: "job",
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
      await releaseOrphans(key, job);
      if (!job || finishedCondition(job)) failures.delete(key);
      if (!job) return undefined;
      if (finishedCondition(job)) return removeWhenDue(job);
      const retry = await run(key, job);
      const next = findByKey(objects, jobs, key);
      if (!next || finishedCondition(next)) return next && removeWhenDue(next);
      const deadline = untilDeadline(next, clock.now());
      return retry > 0 ? Math.min(retry, deadline ?? retry) : deadline;
    },
  };

  /** Takes the next step of a Job, and tells after how many milliseconds there is another. */
  async function run(key: string, job: Job): Promise<number> {
    const owned = podsOf(job);
    const progress = jobProgress(job, owned);
    const outcome = jobOutcome(job, owned, progress, clock.now());
    const failed = withFailures(failures.get(key), progress);
    const next = nextPods(job, owned, progress, failed, clock.now());
    let refused: ReportedError | undefined;
    if (outcome) await end(job, progress.active);
    else if (!job.metadata.deletionTimestamp) refused = await toldFailure(scale(job, next));
    await reportSuspension(job);
    await count(job, owned, progress, outcome);
    if (failed) failures.set(key, failed);
    else failures.delete(key);
    if (outcome?.type === "Complete") await report(job, "Normal", "Completed", "Job completed");
    if (outcome?.type === "Failed") await report(job, "Warning", outcome.reason, outcome.message);
    if (refused) throw refused;
    return outcome || job.metadata.deletionTimestamp ? 0 : next.wait;
  }

  async function reportSuspension(job: Job): Promise<void> {
    const was = job.status?.conditions?.find(({ type }) => type === "Suspended")?.status === "True";
    if (job.spec.suspend && !was) await report(job, "Normal", "Suspended", "Job suspended");
    if (!job.spec.suspend && was) await report(job, "Normal", "Resumed", "Job resumed");
  }

  /** Pods whose Job is gone, or doesn't own them any more, are counted by nobody. */
  async function releaseOrphans(key: string, job: Job | undefined): Promise<void> {
    const slash = key.indexOf("/");
    const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
    const orphans = objects
      .list(pods, namespace)
      .filter((pod) => isTracked(pod) && pod.metadata.labels?.[nameLabel] === name)
      .filter((pod) => !job || findController(pod)?.uid !== job.metadata.uid);
    await releasePods(objects, user, orphans);
  }

  function podsOf({ metadata }: Job): Pod[] {
    return objects.list(pods, metadata.namespace).filter((pod) => findController(pod)?.uid === metadata.uid);
  }

  async function scale(job: Job, { create, surplus }: ReturnType<typeof nextPods>): Promise<void> {
    for (const { index, failures } of create) {
      const pod = await createPod(objects, user, jobPod(job, index, failures), (refusal) =>
        report(job, "Warning", "FailedCreate", `Error creating: ${refusal}`),
      );
      await report(job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    }
    await releasePods(objects, user, surplus);
    await end(job, surplus);
  }

  async function end(job: Job, active: readonly Pod[]): Promise<void> {
    for (const { metadata } of active) {
      const pod = objects.get(pods, metadata.namespace, metadata.name!);
      if (!pod) continue;
      await objects.delete(user, pod, { uid: metadata.uid });
      await report(job, "Normal", "SuccessfulDelete", `Deleted pod: ${metadata.name}`);
    }
  }

  /**
   * Counts the pods that have ended: their uids are written down, then they are let go, then the counts grow. So
   * each counts once, wherever this is interrupted.
   */
  async function count(
    job: Job,
    owned: readonly Pod[],
    progress: JobProgress,
    outcome: JobOutcome | undefined,
  ): Promise<void> {
    const lost = outcome?.type === "Failed" ? owned.filter(isUncounted(job, progress)) : [];
    const stored = await writeStatus(job, progress, (status) => ({
      ...status,
      uncountedTerminatedPods: uncounted(job, progress, lost),
      ...withConditions(job, outcome ? [announcement(outcome, clock.now())] : [], clock.now()),
    }));
    // Those that end meanwhile are left for the next time: nobody has written them down.
    const ended = owned.filter(
      (pod) => isTracked(pod) && (outcome || isFinished(pod) || hasFailed(job, pod)),
    );
    await releasePods(objects, user, ended);
    await writeStatus(stored, progress, (status) => {
      const { succeeded = [], failed = [] } = stored.status?.uncountedTerminatedPods ?? {};
      const now = clock.now();
      return {
        ...status,
        ...positiveCounts({
          succeeded: (status.succeeded ?? 0) + succeeded.length,
          failed: (status.failed ?? 0) + failed.length,
        }),
        uncountedTerminatedPods: {},
        ...withConditions(stored, outcome ? [conclusion(outcome, now)] : [], now),
        ...(outcome?.type === "Complete" ? { completionTime: formatTime(now) } : {}),
      };
    });
  }

  async function writeStatus(
    job: Job,
    { failedIndexes, completedIndexes }: JobProgress,
    change: (status: JobStatus) => JobStatus,
  ): Promise<Job> {
    const started = job.spec.suspend ? undefined : (job.status?.startTime ?? formatTime(clock.now()));
    const now = { ...jobProgress(job, podsOf(job)), failedIndexes, completedIndexes };
    const status = change({ ...progressStatus(job, now), ...(started ? { startTime: started } : {}) });
    return isEqual(status, job.status) ? job : objects.update(user, { ...job, status }, "status");
  }

  /** Deletes a finished Job when its time to live is over. */
  async function removeWhenDue(job: Job): Promise<number | undefined> {
    const { ttlSecondsAfterFinished } = job.spec;
    const since = Date.parse(finishedCondition(job)?.lastTransitionTime ?? "");
    if (ttlSecondsAfterFinished === undefined || Number.isNaN(since)) return undefined;
    const left = since + ttlSecondsAfterFinished * 1000 - clock.now();
    if (left > 0) return left;
    await objects.delete(user, job, { uid: job.metadata.uid, propagationPolicy: "Foreground" });
    return undefined;
  }
}

/** When a Job has failed, whatever it still had at work counts as failed. */
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
  // The indexes tell which of an indexed Job's pods have succeeded.
  const done = isIndexed(job) ? [] : [...succeeded, ...uids(progress.newSucceeded)];
  const gone = [...failed, ...uids(progress.newFailed), ...uids(lost)];
  return { ...(done.length > 0 ? { succeeded: done } : {}), ...(gone.length > 0 ? { failed: gone } : {}) };
}
