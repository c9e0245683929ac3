import { formatTime } from "@tsbuilder/apimachinery/time";
import {
  type Job,
  type JobProgress,
  failureRule,
  hasFailed,
  isIndexed,
  untilDeadline,
} from "./job-progress.ts";
import type { LooseCondition, Pod } from "../../../control-loop/api/core.ts";
import { parseIndexes } from "./indexes.ts";

/** The end of a Job, as its condition says it. */
export interface JobOutcome {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

/** The outcome of a Job; undefined while it runs. An announced outcome is final. */
export function jobOutcome(
  job: Job,
  pods: readonly Pod[],
  progress: JobProgress,
  now: number,
): JobOutcome | undefined {
  return (
    announced(job) ??
    policyFailure(job, pods) ??
    limitFailure(job, progress, now) ??
    indexFailure(job, progress) ??
    success(job, progress)
  );
}

/** The outcome that a Job's status announces: it ends as soon as its last pods have terminated. */
export function announced({ status }: Job): JobOutcome | undefined {
  const found = status?.conditions?.find(
    ({ type, status }) => (type === "FailureTarget" || type === "SuccessCriteriaMet") && status === "True",
  );
  if (!found) return undefined;
  const { reason = "", message = "" } = found;
  return { type: found.type === "FailureTarget" ? "Failed" : "Complete", reason, message };
}

function policyFailure(job: Job, pods: readonly Pod[]): JobOutcome | undefined {
  for (const pod of pods) {
    const rule = hasFailed(job, pod) ? failureRule(job, pod) : undefined;
    if (rule?.action === "FailJob") return failed("PodFailurePolicy", rule.message);
  }
  return undefined;
}

function limitFailure(job: Job, progress: JobProgress, now: number): JobOutcome | undefined {
  if (progress.failed > job.spec.backoffLimit) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (untilDeadline(job, now) !== 0) return undefined;
  return failed("DeadlineExceeded", "Job was active longer than specified deadline");
}

function indexFailure({ spec }: Job, { failedIndexes, succeeded }: JobProgress): JobOutcome | undefined {
  if (failedIndexes.size === 0) return undefined;
  if (failedIndexes.size > (spec.maxFailedIndexes ?? Number.POSITIVE_INFINITY)) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failed("MaxFailedIndexesExceeded", message);
  }
  const isLast = failedIndexes.size + succeeded >= (spec.completions ?? 1);
  return isLast ? failed("FailedIndexes", "Job has failed indexes") : undefined;
}

function failed(reason: string, message: string): JobOutcome {
  return { type: "Failed", reason, message };
}

function success(job: Job, progress: JobProgress): JobOutcome | undefined {
  const rule = metRule(job, progress);
  if (rule >= 0) {
    return { type: "Complete", reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
  }
  if (!isFulfilled(job, progress)) return undefined;
  const message = "Reached expected number of succeeded pods";
  return { type: "Complete", reason: "CompletionsReached", message };
}

/** The index of the first successPolicy rule that the completed indexes satisfy, or -1. */
function metRule(job: Job, { completedIndexes }: JobProgress): number {
  if (!isIndexed(job)) return -1;
  return (job.spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    const wanted = succeededIndexes === undefined ? completedIndexes : parseIndexes(succeededIndexes);
    const done = [...wanted].filter((index) => completedIndexes.has(index)).length;
    return done >= (succeededCount ?? wanted.size) && done > 0;
  });
}

/** Without completions, the Job is complete after one success, once no pods are active. */
function isFulfilled({ spec }: Job, { active, succeeded }: JobProgress): boolean {
  if (spec.completions === undefined) return succeeded > 0 && active.length === 0;
  return succeeded >= spec.completions && active.length === 0;
}

/** The condition of a Job that has finished. */
export function finishedCondition({ status }: Job): LooseCondition | undefined {
  return status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

/** The conditions by which an outcome is announced before the finalizers of the pods are removed. */
const announcing = { Complete: "SuccessCriteriaMet", Failed: "FailureTarget" } as const;

/** The conditions of a status with an outcome, if there is one: announced first, and final afterwards. */
export function withOutcome(
  job: Job,
  outcome: JobOutcome | undefined,
  stage: "announced" | "final",
  now: number,
): { conditions?: LooseCondition[] } {
  const kept = (job.status?.conditions ?? []).filter(({ type }) => type !== "Suspended");
  const conditions = [...suspendedCondition(job, now), ...kept];
  if (outcome) {
    const type = stage === "final" ? outcome.type : announcing[outcome.type];
    const isKnown = kept.some((condition) => condition.type === type);
    if (!isKnown) conditions.push(jobCondition(type, "True", outcome.reason, outcome.message, now));
  }
  return conditions.length > 0 ? { conditions } : {};
}

/** Builds a condition of a Job that is set now. */
function jobCondition(
  type: string,
  status: "True" | "False",
  reason: string,
  message: string,
  now: number,
): LooseCondition {
  const stamp = formatTime(now);
  return { type, status, reason, message, lastProbeTime: stamp, lastTransitionTime: stamp };
}

/** The `Suspended` condition; absent if the Job was never suspended. */
function suspendedCondition(job: Job, now: number): LooseCondition[] {
  const last = job.status?.conditions?.find(({ type }) => type === "Suspended");
  const status = job.spec.suspend ? "True" : "False";
  if (last?.status === status) return [last];
  if (job.spec.suspend) return [jobCondition("Suspended", "True", "JobSuspended", "Job suspended", now)];
  return last ? [jobCondition("Suspended", "False", "JobResumed", "Job resumed", now)] : [];
}
