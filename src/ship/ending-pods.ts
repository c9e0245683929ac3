import type { PodState } from "./unavailable.ts";

/** How late the news of a container's end may be, and how wrong a clock, in milliseconds. */
const allowance = 30_000;

/**
 * Returns whether a pod is told to end, and may still work. Its deletion timestamp says when its containers are killed
 * at the latest: long after that, its node is what does not answer, and nobody else can tell.
 */
export function isEnding({ metadata: { deletionTimestamp } }: PodState, now: number): boolean {
  return deletionTimestamp !== undefined && now < Date.parse(deletionTimestamp) + allowance;
}
