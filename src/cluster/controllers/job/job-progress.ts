import type { Job, JobStatus } from "../api/batch.ts";
import type { Pod } from "../api/core.ts";
import { isActive, isReady } from "../pods/pod-state.ts";
import { formatIndexes } from "./indexes.ts";

/** How far a Job has come, by its pods. */
export interface JobProgress {
  readonly active: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  /** The indexes that are done, of an indexed Job. */
  readonly completedIndexes: ReadonlySet<number>;
}

/** Where an indexed Job's pod carries its index. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";

/** Counts a Job's pods. Of an indexed Job each index counts once. */
export function jobProgress(job: Job, pods: readonly Pod[]): JobProgress {
  const done = pods.filter(({ status }) => status?.phase === "Succeeded");
  const completedIndexes = new Set(isIndexed(job) ? done.flatMap((pod) => indexOf(pod) ?? []) : []);
  return {
    active: pods.filter(isActive),
    succeeded: isIndexed(job) ? completedIndexes.size : done.length,
    failed: pods.filter(({ status }) => status?.phase === "Failed").length,
    completedIndexes,
  };
}

/** Why a Job is over, or nothing as long as it isn't. */
export function jobOutcome(
  job: Job,
  progress: JobProgress,
  now: Date,
): { type: "Complete" | "Failed"; reason: string; message: string } | undefined {
  if (progress.failed > (job.spec.backoffLimit ?? 6)) {
    const message = "Job has reached the specified backoff limit";
    return { type: "Failed", reason: "BackoffLimitExceeded", message };
  }
  if (untilDeadline(job, now) === 0) {
    const message = "Job was active longer than specified deadline";
    return { type: "Failed", reason: "DeadlineExceeded", message };
  }
  if (!isFulfilled(job, progress)) return undefined;
  const message = "Reached expected number of succeeded pods";
  return { type: "Complete", reason: "CompletionsReached", message };
}

/** After how many milliseconds a Job has run for too long, if it may not run for ever. */
export function untilDeadline({ spec, status }: Job, now: Date): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || !status?.startTime || spec.suspend) return undefined;
  return Math.max(0, Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - now.getTime());
}

/** How many pods a Job should have at work now. */
export function wantedActive({ spec }: Job, { active, succeeded }: JobProgress): number {
  if (spec.suspend) return 0;
  const parallelism = spec.parallelism ?? 1;
  if (spec.completions !== undefined) return Math.min(parallelism, Math.max(0, spec.completions - succeeded));
  return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
}

/** The counts of a Job's status. */
export function progressStatus(job: Job, progress: JobProgress): JobStatus {
  const { active, succeeded, failed, completedIndexes } = progress;
  return {
    ...(active.length > 0 ? { active: active.length } : {}),
    ready: active.filter(isReady).length,
    terminating: 0,
    ...(succeeded > 0 ? { succeeded } : {}),
    ...(failed > 0 ? { failed } : {}),
    ...(isIndexed(job) && completedIndexes.size > 0
      ? { completedIndexes: formatIndexes([...completedIndexes]) }
      : {}),
    uncountedTerminatedPods: {},
  };
}

/** Tells whether a Job's pods are told apart by an index. */
export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === "Indexed";
}

/** The index of a pod of an indexed Job. */
export function indexOf({ metadata }: Pod): number | undefined {
  const index = metadata.annotations?.[indexAnnotation];
  return index === undefined ? undefined : Number(index);
}

/** Without a number of completions, one success ends the Job, once nothing runs any more. */
function isFulfilled({ spec }: Job, { active, succeeded }: JobProgress): boolean {
  if (spec.completions === undefined) return succeeded > 0 && active.length === 0;
  return succeeded >= spec.completions;
}
