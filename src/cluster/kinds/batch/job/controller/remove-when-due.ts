import type { Job } from "./jobs.ts";
import { finishedCondition } from "./job-conditions.ts";
import type { ReportingContext } from "../../../../control-loop/record-event.ts";

/** Deletes a finished Job once its ttlSecondsAfterFinished has passed. */
export async function removeWhenDue(
  { objects, clock, user }: ReportingContext,
  job: Job,
): Promise<number | undefined> {
  const { ttlSecondsAfterFinished } = job.spec;
  const since = Date.parse(finishedCondition(job)?.lastTransitionTime ?? "");
  if (ttlSecondsAfterFinished === undefined || Number.isNaN(since)) return undefined;
  const left = since + ttlSecondsAfterFinished * 1000 - clock.now();
  if (left > 0) return left;
  await objects.delete(user, job, { uid: job.metadata.uid, propagationPolicy: "Foreground" });
  return undefined;
}
