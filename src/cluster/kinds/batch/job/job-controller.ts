import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { findController } from "@tsbuilder/apimachinery/meta";
import { formatIndexes } from "./indexes.ts";
import type { Job, JobOutcome, JobProgress, JobStatus } from "./job-progress.ts";
import {
  announcedOutcome,
  countsAsFailure,
  failureCountAnnotation,
  failuresOf,
  finishedCondition,
  hasFailed,
  indexAnnotation,
  indexOf,
  isIndexed,
  isTracked,
  jobOutcome,
  jobProgress,
  jobs,
  trackingFinalizer,
  untilDeadline,
  outcomeConditions,
} from "./job-progress.ts";
import { type Pod, pods } from "../../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { type ReportedError, reportedFailure } from "../../../control-loop/failures.ts";
import { findByKey, keysOfOwner } from "../../../control-loop/keys.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { compareForDeletion, isFinished, isReady } from "../../../control-loop/pods/pod-state.ts";
import { positiveCounts } from "../../../control-loop/counts.ts";
import { claimDependents } from "../../../control-loop/claim-dependents.ts";
import { burst, createPod, deletePod, newPod } from "../../../control-loop/pods/pod-control.ts";

interface NextPod {
  readonly index: number;
  /** The earlier failures of its index; undefined without backoffLimitPerIndex. */
  readonly failures: number | undefined;
}

/** The pods that a Job creates and deletes now; it creates more after `wait` milliseconds. */
interface NextPods {
  readonly create: readonly NextPod[];
  readonly surplus: readonly Pod[];
  readonly wait: number;
}

/** The failures of a Job since its last success: their number, and the time of the last one in milliseconds. */
interface Failures {
  readonly count: number;
  readonly last: number;
}

/** Runs the pods of a Job until enough have succeeded or too many have failed. */
export function jobController(context: ControllerContext): Controller {
  const steps = reporting(context, userOf("job"), "job-controller");
  const { clock, objects, user, report } = steps;
  /** The failures of unfinished Jobs, which determine their backoff. */
  const failures = new Map<string, Failures>();
  return {
    watches: [jobs, pods],

    /** A tracked pod may have no Job any more; a key with only its namespace makes reconcile release it. */
    keysOf(event) {
      const keys = keysOfOwner(objects, jobs, "Job", event);
      const isWaiting = event.resource === pods && isTracked(event.object as Pod);
      return isWaiting && keys.length === 0 ? [`${event.object.metadata.namespace}/`] : keys;
    },

    async reconcile(key) {
      const job = findByKey(objects, jobs, key);
      const isOurs = job && !finishedCondition(job) && !isManagedElsewhere(job);
      const retry = isOurs ? await run(key, job) : 0;
      await releaseOrphans(key.slice(0, key.indexOf("/")));
      const next = findByKey(objects, jobs, key);
      if (!next || finishedCondition(next)) {
        failures.delete(key);
        return next && removeWhenDue(next);
      }
      if (isManagedElsewhere(next) || announcedOutcome(next)) return undefined;
      const deadline = untilDeadline(next, clock.now());
      return retry > 0 ? Math.min(retry, deadline ?? retry) : deadline;
    },
  };

  /** Takes the next step of a Job; returns after how many milliseconds to requeue it. */
  async function run(key: string, job: Job): Promise<number> {
    const owned = await claimDependents(steps, job, pods, trackingFinalizer);
    const progress = jobProgress(job, owned);
    const outcome = jobOutcome(job, owned, progress, clock.now());
    const failed = withFailures(failures.get(key), progress);
    const next = nextPods(job, owned, progress, failed, clock.now());
    let refused: ReportedError | undefined;
    if (outcome) await end(job, progress.active);
    else if (!job.metadata.deletionTimestamp) refused = await reportedFailure(scale(job, next));
    await reportSuspension(job);
    const counted = await countEnded(job, owned, progress, outcome);
    if (failed) failures.set(key, failed);
    else failures.delete(key);
    if (finishedCondition(counted)) await reportEnd(counted);
    if (refused) throw refused;
    return outcome || job.metadata.deletionTimestamp ? 0 : next.wait;
  }

  /**
   * Counts the pods that have finished: their uids are recorded, then their finalizers are removed, then the
   * counts are increased. So each pod counts once, even if this is interrupted. A Job with an outcome ends when no pod
   * is terminating any more.
   */
  async function countEnded(
    job: Job,
    owned: readonly Pod[],
    progress: JobProgress,
    outcome: JobOutcome | undefined,
  ): Promise<Job> {
    const lost = outcome?.type === "Failed" ? owned.filter(isLostTo(job, progress)) : [];
    const stored = await writeStatus(job, progress, (status) => ({
      ...status,
      uncountedTerminatedPods: uncountedPods(job, progress, lost),
      ...outcomeConditions(job, outcome, "announced", clock.now()),
    }));
    // Pods that finish in the meantime are not recorded yet, so they are left for the next time.
    const ended = owned.filter(
      (pod) => isTracked(pod) && (outcome || isFinished(pod) || hasFailed(job, pod)),
    );
    await releasePods(ended);
    return writeStatus(stored, progress, (status) => {
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
        ...outcomeConditions(stored, end, "final", now),
        ...(end?.type === "Complete" ? { completionTime: formatTime(now) } : {}),
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

  function podsOf({ metadata }: Job): Pod[] {
    return objects.list(pods, metadata.namespace).filter((pod) => findController(pod)?.uid === metadata.uid);
  }

  /** Pods that no unfinished Job owns are never counted, so their finalizer is removed. */
  async function releaseOrphans(namespace: string): Promise<void> {
    const orphans = objects.list(pods, namespace).filter((pod) => {
      if (!isTracked(pod)) return false;
      const controller = findController(pod);
      if (!controller) return true;
      if (controller.kind !== "Job" || controller.apiVersion !== "batch/v1") return false;
      const job = objects.get(jobs, namespace, controller.name);
      return job?.metadata.uid !== controller.uid || finishedCondition(job) !== undefined;
    });
    await releasePods(orphans);
  }

  async function scale(job: Job, { create, surplus }: NextPods): Promise<void> {
    for (const { index, failures } of create) await createPod(steps, job, jobPod(job, index, failures));
    await releasePods(surplus);
    await end(job, surplus);
  }

  /** Removes the tracking finalizer from pods that their Job has counted or will never count. */
  async function releasePods(counted: readonly Pod[]): Promise<void> {
    for (const { metadata } of counted) {
      const pod = objects.get(pods, metadata.namespace, metadata.name!);
      if (!pod || pod.metadata.uid !== metadata.uid || !isTracked(pod)) continue;
      const finalizers = pod.metadata.finalizers!.filter((finalizer) => finalizer !== trackingFinalizer);
      await objects.update(user, { ...pod, metadata: { ...pod.metadata, finalizers } });
    }
  }

  async function end(job: Job, active: readonly Pod[]): Promise<void> {
    for (const pod of active) {
      const isThere = objects.get(pods, pod.metadata.namespace, pod.metadata.name!) !== undefined;
      if (isThere) await deletePod(steps, job, pod);
    }
  }

  /** Deletes a finished Job once its ttlSecondsAfterFinished has passed. */
  async function removeWhenDue(job: Job): Promise<number | undefined> {
    const { ttlSecondsAfterFinished } = job.spec;
    const since = Date.parse(finishedCondition(job)?.lastTransitionTime ?? "");
    if (ttlSecondsAfterFinished === undefined || Number.isNaN(since)) return undefined;
    const left = since + ttlSecondsAfterFinished * 1000 - clock.now();
    if (left > 0) return left;
    await objects.delete(user, job, { uid: job.metadata.uid, propagationPolicy: "Foreground" });
    return undefined;
  }

  async function reportEnd(job: Job): Promise<void> {
    const { type, reason = "", message = "" } = finishedCondition(job)!;
    if (type === "Failed") return report(job, "Warning", reason, message);
    const { completions } = job.spec;
    if (completions !== undefined && (job.status?.succeeded ?? 0) > completions) {
      const surplus = "Too many succeeded pods running after completion count reached";
      await report(job, "Warning", "TooManySucceededPods", surplus);
    }
    await report(job, "Normal", "Completed", "Job completed");
  }

  async function reportSuspension(job: Job): Promise<void> {
    const wasSuspended = job.status?.conditions?.find(({ type }) => type === "Suspended")?.status === "True";
    if (job.spec.suspend && !wasSuspended) await report(job, "Normal", "Suspended", "Job suspended");
    if (!job.spec.suspend && wasSuspended) await report(job, "Normal", "Resumed", "Job resumed");
  }
}

/** The counts of a Job's status; finished pods that still have their finalizer are listed separately by uid. */
function progressStatus(job: Job, progress: JobProgress): JobStatus {
  const { active, completedIndexes, failedIndexes, terminating } = progress;
  const { succeeded = 0, failed = 0 } = job.status ?? {};
  const done = isIndexed(job) ? completedIndexes.size : succeeded;
  return {
    ...(active.length > 0 ? { active: active.length } : {}),
    ready: active.filter(isReady).length,
    terminating,
    ...(done > 0 ? { succeeded: done } : {}),
    ...(failed > 0 ? { failed } : {}),
    ...(completedIndexes.size > 0 ? { completedIndexes: formatIndexes(completedIndexes) } : {}),
    ...(job.spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
    uncountedTerminatedPods: job.status?.uncountedTerminatedPods ?? {},
  };
}

/** Plans the pods. After failures the whole Job backs off; with backoffLimitPerIndex, only the failed indexes. */
function nextPods(
  job: Job,
  owned: readonly Pod[],
  progress: JobProgress,
  failed: Failures | undefined,
  now: number,
): NextPods {
  const missing = wantedActive(job, progress) - progress.active.length;
  const surplus = [...progress.active].sort(compareForDeletion).slice(0, Math.max(0, -missing));
  if (missing <= 0) return { create: [], surplus, wait: 0 };
  const isPerIndex = job.spec.backoffLimitPerIndex !== undefined;
  const planned = freeIndexes(job, progress, Math.min(missing, burst)).map((index) => {
    const ownFailures = isPerIndex ? failuresOfIndex(job, owned, index) : failed;
    return {
      index,
      failures: isPerIndex ? (ownFailures?.count ?? 0) : undefined,
      wait: untilRetry(ownFailures, now),
    };
  });
  const waits = planned.map(({ wait }) => wait).filter((wait) => wait > 0);
  return {
    create: planned.filter(({ wait }) => wait === 0),
    surplus,
    wait: waits.length > 0 ? Math.min(...waits) : 0,
  };
}

/** Returns the number of active pods that a Job should have now. */
function wantedActive({ spec }: Job, progress: JobProgress): number {
  if (spec.suspend) return 0;
  const { active, succeeded, failedIndexes, terminating } = progress;
  const parallelism = spec.parallelism;
  // podReplacementPolicy Failed waits for pods that terminate.
  const waited = spec.podReplacementPolicy === "Failed" ? terminating : 0;
  if (spec.completions === undefined) {
    // A work queue: once a pod has succeeded, no new ones start.
    return succeeded > 0 ? Math.min(active.length, parallelism) : Math.max(0, parallelism - waited);
  }
  const left = spec.completions - succeeded - failedIndexes.size;
  return Math.max(0, Math.min(parallelism, left) - waited);
}

/** The first indexes without an active pod; for a Job that is not indexed only their number matters. */
function freeIndexes({ spec }: Job, progress: JobProgress, wanted: number): number[] {
  const { active, completedIndexes, failedIndexes } = progress;
  const taken = new Set([
    ...completedIndexes,
    ...failedIndexes,
    ...active.flatMap((pod) => indexOf(pod) ?? []),
  ]);
  const count = spec.completions ?? spec.parallelism;
  const free: number[] = [];
  for (let index = 0; index < count && free.length < wanted; index++) {
    if (!taken.has(index)) free.push(index);
  }
  return free;
}

function failuresOfIndex(job: Job, owned: readonly Pod[], index: number): Failures | undefined {
  const ofIndex = owned.filter((pod) => indexOf(pod) === index && hasFailed(job, pod));
  const count = Math.max(0, ...ofIndex.map((pod) => failuresOf(job, pod)));
  if (count === 0) return undefined;
  return { count, last: Math.max(...ofIndex.map(endTime)) };
}

/** Adds the pods that have finished and were not counted before. */
export function withFailures(
  before: Failures | undefined,
  { newFailed, newSucceeded }: Pick<JobProgress, "newFailed" | "newSucceeded">,
): Failures | undefined {
  const success = Math.max(-Infinity, ...newSucceeded.map(endTime));
  const ends = newFailed.map(endTime).filter((end) => end > success);
  const kept = newSucceeded.length > 0 ? undefined : before;
  if (ends.length === 0) return kept;
  return { count: (kept?.count ?? 0) + ends.length, last: Math.max(kept?.last ?? 0, ...ends) };
}

const firstDelay = 10_000;
const longestDelay = 600_000;

/** The remaining backoff of a Job in milliseconds, which doubles with each failure. */
export function untilRetry(failures: Failures | undefined, now: number): number {
  if (!failures) return 0;
  const delay = Math.min(firstDelay * 2 ** (failures.count - 1), longestDelay);
  return Math.max(0, failures.last + delay - now);
}

/**
 * When a pod finished, by the first known of these: its last container's end, its deletion, its last
 * readiness change, its creation.
 */
function endTime({ metadata, status }: Pod): number {
  const containers = status?.containerStatuses ?? [];
  const ends = containers.flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  if (ends.length > 0) return Math.max(...ends.map((end) => Date.parse(end)));
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return Date.parse(metadata.deletionTimestamp ?? ready ?? metadata.creationTimestamp ?? "");
}

function jobPod(job: Job, index: number, failures: number | undefined): Pod {
  const pod = isIndexed(job)
    ? indexedPod(job, index, failures)
    : newPod(job, job.spec.template, { generateName: `${job.metadata.name}-` });
  const finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

/**
 * A pod of an indexed Job has its index in name, annotation, label and environment, and with backoffLimitPerIndex also how
 * often the index has failed.
 */
function indexedPod(job: Job, index: number, failures: number | undefined): Pod {
  const { name } = job.metadata;
  const label = { [indexAnnotation]: String(index) };
  const pod = newPod(job, job.spec.template, { generateName: `${name}-${index}-` }, label);
  const variable = { name: "JOB_COMPLETION_INDEX", value: String(index) };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: {
        ...pod.metadata.annotations,
        ...label,
        ...(failures === undefined ? {} : { [failureCountAnnotation]: String(failures) }),
      },
    },
    spec: {
      ...pod.spec,
      hostname: `${name}-${index}`,
      containers: pod.spec.containers.map((each) => ({ ...each, env: [...(each.env ?? []), variable] })),
    },
  };
}

/** Finds the active pods of a failed Job, which count as failed. */
function isLostTo(job: Job, { newSucceeded, newFailed }: JobProgress): (pod: Pod) => boolean {
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const known = new Set([
    ...[...newSucceeded, ...newFailed].map(({ metadata }) => metadata.uid),
    ...succeeded,
    ...failed,
  ]);
  return (pod) =>
    isTracked(pod) && !known.has(pod.metadata.uid) && !isFinished(pod) && countsAsFailure(job, pod);
}

function uncountedPods(
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

/** The value of managedBy for this controller. */
const thisManager = "kubernetes.io/job-controller";

/** Returns true if another controller runs the pods of a Job. */
function isManagedElsewhere({ spec }: Job): boolean {
  return (spec.managedBy ?? thisManager) !== thisManager;
}
