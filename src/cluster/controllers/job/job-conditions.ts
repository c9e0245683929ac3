import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Job } from "../api/batch.ts";
import type { LooseCondition } from "../api/core.ts";

/** The outcome of a Job, if it is over. */
export function finishedCondition({ status }: Job): LooseCondition | undefined {
  return status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

/** Makes a condition of a Job that holds from now on. */
export function jobCondition(
  type: string,
  status: "True" | "False",
  reason: string,
  message: string,
  now: Date,
): LooseCondition {
  const stamp = formatTime(now);
  return { type, status, reason, message, lastProbeTime: stamp, lastTransitionTime: stamp };
}

/** The condition that tells whether a Job is held; none as long as it never was. */
export function suspendedCondition(job: Job, now: Date): LooseCondition[] {
  const last = job.status?.conditions?.find(({ type }) => type === "Suspended");
  const status = job.spec.suspend ? "True" : "False";
  if (last?.status === status) return [last];
  if (job.spec.suspend) return [jobCondition("Suspended", "True", "JobSuspended", "Job suspended", now)];
  return last ? [jobCondition("Suspended", "False", "JobResumed", "Job resumed", now)] : [];
}
