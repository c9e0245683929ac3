import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Job } from "./jobs.ts";
import type { LooseCondition } from "../../../../control-loop/api/core.ts";
import type { JobOutcome } from "./job-outcome.ts";

/** The condition of a Job that has finished. */
export function finishedCondition({ status }: Job): LooseCondition | undefined {
  return status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

/** An outcome is announced before the finalizers of the pods are removed, and final afterwards. */
export function announcement({ type, reason, message }: JobOutcome, now: number): LooseCondition {
  const name = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  return jobCondition(name, "True", reason, message, now);
}

export function conclusion({ type, reason, message }: JobOutcome, now: number): LooseCondition {
  return jobCondition(type, "True", reason, message, now);
}

/** The conditions of a status with the given ones added. */
export function withConditions(
  job: Job,
  added: readonly LooseCondition[],
  now: number,
): { conditions?: LooseCondition[] } {
  const kept = (job.status?.conditions ?? []).filter(({ type }) => type !== "Suspended");
  const news = added.filter(({ type }) => !kept.some((condition) => condition.type === type));
  const conditions = [...suspendedCondition(job, now), ...kept, ...news];
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
