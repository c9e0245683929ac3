import { findController } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/patch";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type Job, type JobStatus, jobs } from "../api/batch.ts";
import { type Pod, pods } from "../api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../controller.ts";
import { findByKey, keysOfOwner } from "../keys.ts";
import { burst } from "../pods/burst.ts";
import { compareForDeletion, isFinished } from "../pods/pod-state.ts";
import { positiveCounts } from "../positive-counts.ts";
import { reporter } from "../record-event.ts";
import { announcement, conclusion, finishedCondition, withConditions } from "./job-conditions.ts";
import { type JobOutcome, jobOutcome } from "./job-outcome.ts";
import { jobPod, nameLabel } from "./job-pod.ts";
import {
  countsAsFailure,
  failuresOf,
  hasFailed,
  indexOf,
  isIndexed,
  isTracked,
  type JobProgress,
  jobProgress,
  progressStatus,
  untilDeadline,
  wantedActive,
} from "./job-progress.ts";
import { releasePods } from "./job-tracking.ts";

const user = userOf("job");

/** Runs the pods of a Job until enough of them have succeeded, or too many failed. */
export function jobController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const report = reporter(context, "job-controller");
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
      if (!job) return undefined;
      if (finishedCondition(job)) return removeWhenDue(job);
      await run(job);
      const next = findByKey(objects, jobs, key);
      return next && (finishedCondition(next) ? removeWhenDue(next) : untilDeadline(next, clock.now()));
    },
  };

  async function run(job: Job): Promise<void> {
    const owned = podsOf(job);
    const progress = jobProgress(job, owned);
    const outcome = jobOutcome(job, owned, progress, clock.now());
    if (outcome) await end(progress.active);
    else if (!job.metadata.deletionTimestamp) await scale(job, owned, progress);
    await count(job, owned, progress, outcome);
    if (outcome?.type === "Complete") await report(job, "Normal", "Completed", "Job completed");
    if (outcome?.type === "Failed") await report(job, "Warning", outcome.reason, outcome.message);
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

  async function scale(job: Job, owned: readonly Pod[], progress: JobProgress): Promise<void> {
    const missing = wantedActive(job, progress) - progress.active.length;
    for (const index of freeIndexes(job, progress, Math.min(missing, burst))) {
      const pod = await objects.create(user, jobPod(job, index, failuresAt(job, owned, index)));
      await report(job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    }
    const surplus = [...progress.active].sort(compareForDeletion).slice(0, Math.max(0, -missing));
    await releasePods(objects, user, surplus);
    await end(surplus);
  }

  async function end(active: readonly Pod[]): Promise<void> {
    for (const { metadata } of active) {
      const pod = objects.get(pods, metadata.namespace, metadata.name!);
      if (pod) await objects.delete(user, pod, { uid: metadata.uid });
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
    const left = since + ttlSecondsAfterFinished * 1000 - clock.now().getTime();
    if (left > 0) return left;
    await objects.delete(user, job, { uid: job.metadata.uid, propagationPolicy: "Foreground" });
    return undefined;
  }
}

/** The first indexes that nobody works on; a Job without indexes only needs to know how many. */
function freeIndexes({ spec }: Job, progress: JobProgress, wanted: number): number[] {
  const { active, completedIndexes, failedIndexes } = progress;
  const taken = new Set([
    ...completedIndexes,
    ...failedIndexes,
    ...active.flatMap((pod) => indexOf(pod) ?? []),
  ]);
  const count = spec.completions ?? spec.parallelism ?? 1;
  const free: number[] = [];
  for (let index = 0; index < count && free.length < wanted; index++) {
    if (!taken.has(index)) free.push(index);
  }
  return free;
}

/** How often an index has failed so far, where that has a limit. */
function failuresAt(job: Job, owned: readonly Pod[], index: number): number | undefined {
  if (job.spec.backoffLimitPerIndex === undefined) return undefined;
  const failures = owned.filter((pod) => indexOf(pod) === index).map((pod) => failuresOf(job, pod));
  return Math.max(0, ...failures);
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
