import { findController } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/patch";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type Job, type JobStatus, jobs } from "../api/batch.ts";
import { type Pod, pods } from "../api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../controller.ts";
import { findByKey, keysOfOwner } from "../keys.ts";
import { burst } from "../pods/burst.ts";
import { compareForDeletion } from "../pods/pod-state.ts";
import { reporter } from "../record-event.ts";
import { finishedCondition, jobCondition, suspendedCondition } from "./job-conditions.ts";
import { jobPod } from "./job-pod.ts";
import {
  indexOf,
  type JobProgress,
  jobOutcome,
  jobProgress,
  progressStatus,
  untilDeadline,
  wantedActive,
} from "./job-progress.ts";

const user = userOf("job");

/** Runs the pods of a Job until enough of them have succeeded, or too many failed. */
export function jobController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const report = reporter(context, "job-controller");
  return {
    name: "job",
    watches: [jobs, pods],
    keysOf: (event) => keysOfOwner(objects, jobs, "Job", event),

    async reconcile(key) {
      const job = findByKey(objects, jobs, key);
      if (!job || job.metadata.deletionTimestamp) return undefined;
      if (finishedCondition(job)) return removeWhenDue(job);
      await run(job);
      const next = findByKey(objects, jobs, key);
      return next && (finishedCondition(next) ? removeWhenDue(next) : untilDeadline(next, clock.now()));
    },
  };

  async function run(job: Job): Promise<void> {
    const progress = jobProgress(job, podsOf(job));
    const outcome = jobOutcome(job, progress, clock.now());
    if (outcome) await stop(progress.active);
    else await scale(job, progress);
    await writeStatus(job, outcome);
    if (outcome?.type === "Complete") await report(job, "Normal", "Completed", "Job completed");
    if (outcome?.type === "Failed") await report(job, "Warning", outcome.reason, outcome.message);
  }

  function podsOf({ metadata }: Job): Pod[] {
    return objects.list(pods, metadata.namespace).filter((pod) => findController(pod)?.uid === metadata.uid);
  }

  async function scale(job: Job, progress: JobProgress): Promise<void> {
    const missing = wantedActive(job, progress) - progress.active.length;
    for (const index of freeIndexes(job, progress, Math.min(missing, burst))) {
      const pod = await objects.create(user, jobPod(job, index));
      await report(job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    }
    const surplus = [...progress.active].sort(compareForDeletion).slice(0, Math.max(0, -missing));
    await stop(surplus);
  }

  async function stop(active: readonly Pod[]): Promise<void> {
    for (const pod of active) await objects.delete(user, pod, { uid: pod.metadata.uid });
  }

  async function writeStatus(job: Job, outcome: ReturnType<typeof jobOutcome>): Promise<void> {
    const now = clock.now();
    const progress = jobProgress(job, podsOf(job));
    const startTime = job.spec.suspend ? undefined : (job.status?.startTime ?? formatTime(now));
    const over = outcome ? outcomeConditions(outcome, now) : [];
    const conditions = [...suspendedCondition(job, now), ...over];
    const status: JobStatus = {
      ...progressStatus(job, progress),
      ...(startTime ? { startTime } : {}),
      ...(outcome?.type === "Complete" ? { completionTime: formatTime(now) } : {}),
      ...(conditions.length > 0 ? { conditions } : {}),
    };
    if (!isEqual(status, job.status)) await objects.update(user, { ...job, status }, "status");
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
function freeIndexes({ spec }: Job, { active, completedIndexes }: JobProgress, wanted: number): number[] {
  const taken = new Set([...completedIndexes, ...active.flatMap((pod) => indexOf(pod) ?? [])]);
  const count = spec.completions ?? spec.parallelism ?? 1;
  const free: number[] = [];
  for (let index = 0; index < count && free.length < wanted; index++) {
    if (!taken.has(index)) free.push(index);
  }
  return free;
}

/** An outcome is announced before it is final, by a condition of its own. */
function outcomeConditions({ type, reason, message }: NonNullable<ReturnType<typeof jobOutcome>>, now: Date) {
  const announced = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  return [announced, type].map((name) => jobCondition(name, "True", reason, message, now));
}
