import type { RecordedReconcile } from "./reconcile-history.ts";

/** When a reconcile ended, in milliseconds since 1970; of one that did not, when it began. */
export function endedAt({ at, seconds = 0 }: Pick<RecordedReconcile, "at" | "seconds">): number {
  return Date.parse(at) + seconds * 1000;
}
