import type { Pod } from "../../../../control-loop/api/core.ts";
import type { JobProgress } from "./job-progress.ts";

const firstDelay = 10_000;
const longestDelay = 600_000;

/**
 * The failures of a Job since its last success: their number, and the time of the last one in milliseconds.
 */
export interface Failures {
  readonly count: number;
  readonly last: number;
}

/** Adds the pods that have finished and were not counted before. */
export function withFailures(
  before: Failures | undefined,
  { newFailed, newSucceeded }: Pick<JobProgress, "newFailed" | "newSucceeded">,
): Failures | undefined {
  const success = Math.max(-Infinity, ...newSucceeded.map(endOf));
  const ends = newFailed.map(endOf).filter((end) => end > success);
  const kept = newSucceeded.length > 0 ? undefined : before;
  if (ends.length === 0) return kept;
  return { count: (kept?.count ?? 0) + ends.length, last: Math.max(kept?.last ?? 0, ...ends) };
}

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
export function endOf({ metadata, status }: Pod): number {
  const containers = status?.containerStatuses ?? [];
  const ends = containers.flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  if (ends.length > 0) return Math.max(...ends.map((end) => Date.parse(end)));
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return Date.parse(metadata.deletionTimestamp ?? ready ?? metadata.creationTimestamp ?? "");
}
