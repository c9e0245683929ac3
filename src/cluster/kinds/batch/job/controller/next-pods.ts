import type { Job } from "./jobs.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { burst } from "../../../../control-loop/pods/burst.ts";
import { compareForDeletion } from "../../../../control-loop/pods/pod-state.ts";
import { failuresOf, hasFailed, indexOf, type JobProgress, wantedActive } from "./job-progress.ts";
import { endOf, type Failures, untilRetry } from "./retry-delay.ts";

/** Which pods a Job creates and deletes now, and after how many milliseconds it creates more. */
export interface NextPods {
  readonly create: readonly NextPod[];
  readonly surplus: readonly Pod[];
  readonly wait: number;
}

interface NextPod {
  readonly index: number;
  /** How often its index has failed before; undefined without backoffLimitPerIndex. */
  readonly failures: number | undefined;
}

/** After failures the whole Job backs off; with backoffLimitPerIndex, only the failed indexes. */
export function nextPods(
  job: Job,
  owned: readonly Pod[],
  progress: JobProgress,
  failed: Failures | undefined,
  now: number,
): NextPods {
  const missing = wantedActive(job, progress) - progress.active.length;
  const surplus = [...progress.active].sort(compareForDeletion).slice(0, Math.max(0, -missing));
  if (missing <= 0) return { create: [], surplus, wait: 0 };
  const perIndex = job.spec.backoffLimitPerIndex !== undefined;
  const planned = freeIndexes(job, progress, Math.min(missing, burst)).map((index) => {
    const own = perIndex ? failuresOfIndex(job, owned, index) : failed;
    return { index, failures: perIndex ? (own?.count ?? 0) : undefined, wait: untilRetry(own, now) };
  });
  const waits = planned.map(({ wait }) => wait).filter((wait) => wait > 0);
  return {
    create: planned.filter(({ wait }) => wait === 0),
    surplus,
    wait: waits.length > 0 ? Math.min(...waits) : 0,
  };
}

/** The first indexes without an active pod; for a Job that is not indexed only their number matters. */
function freeIndexes({ spec }: Job, progress: JobProgress, wanted: number): number[] {
  const { active, completedIndexes, failedIndexes } = progress;
  const taken = new Set([
    ...completedIndexes,
    ...failedIndexes,
    ...active.flatMap((pod) => indexOf(pod) ?? []),
  ]);
  const count = spec.completions ?? spec.parallelism;
  const free: number[] = [];
  for (let index = 0; index < count && free.length < wanted; index++) {
    if (!taken.has(index)) free.push(index);
  }
  return free;
}

function failuresOfIndex(job: Job, owned: readonly Pod[], index: number): Failures | undefined {
  const ofIndex = owned.filter((pod) => indexOf(pod) === index && hasFailed(job, pod));
  const count = Math.max(0, ...ofIndex.map((pod) => failuresOf(job, pod)));
  if (count === 0) return undefined;
  return { count, last: Math.max(...ofIndex.map(endOf)) };
}
