import type { Pod } from "../../../../control-loop/api/core.ts";
import type { JobProgress } from "./job-progress.ts";

const firstDelay = 10_000;
const longestDelay = 600_000;

/** The failures of a Job since its last success: how many, and when the last one was, in milliseconds. */
export interface Failures {
  readonly count: number;
  readonly last: number;
}

/** Takes into account the pods that have ended and were not counted before. */
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

/** For how many milliseconds a Job waits before it tries again: longer with each failure. */
export function untilRetry(failures: Failures | undefined, now: number): number {
  if (!failures) return 0;
  const delay = Math.min(firstDelay * 2 ** (failures.count - 1), longestDelay);
  return Math.max(0, failures.last + delay - now);
}

/** When a pod ended, by the first that is known: its last container's end, its deletion, its last word on readiness. */
export function endOf({ metadata, status }: Pod): number {
  const containers = status?.containerStatuses ?? [];
  const ends = containers.flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  if (ends.length > 0) return Math.max(...ends.map((end) => Date.parse(end)));
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return Date.parse(metadata.deletionTimestamp ?? ready ?? metadata.creationTimestamp ?? "");
}
