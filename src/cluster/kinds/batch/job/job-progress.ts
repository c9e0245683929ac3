import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { Defaulted, Pod } from "../../../control-loop/api/core.ts";
import { isActive, isFinished } from "../../../control-loop/pods/pod-state.ts";
import { parseIndexes } from "./indexes.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";
import type { Stored } from "../../../contract/stored.ts";

export type Job = Defaulted<Stored<batch.Job>, "backoffLimit" | "parallelism">;

export type JobStatus = Stored<batch.JobStatus>;

type PodFailurePolicyRule = Stored<batch.PodFailurePolicyRule>;

export const jobs: ResourceName<Job> = "jobs.batch";

/** The progress of a Job: what its status has counted, and the pods that are yet to be counted. */
export interface JobProgress {
  readonly active: readonly Pod[];
  readonly terminating: number;
  /** Pods that have finished and are not counted yet. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  /** The completed and the failed indexes of an indexed Job. */
  readonly completedIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
}

/** The annotation with the index of an indexed Job's pod. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";

/** The annotation with the number of failures of that index before the pod. */
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";

/** The finalizer that retains a pod until its Job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";

/** Counts a Job's pods; of an indexed Job, each index counts once. */
export function jobProgress(job: Job, pods: readonly Pod[]): JobProgress {
  const { status = {} } = job;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const seen = new Set([...succeeded, ...failed]);
  const fresh = pods.filter((pod) => isTracked(pod) && !seen.has(pod.metadata.uid!));
  const newSucceeded = fresh.filter(hasSucceeded);
  const newFailed = fresh.filter((pod) => hasFailed(job, pod) && countsAsFailure(job, pod));
  const completedIndexes = completed(job, pods.filter(isTracked));
  return {
    active: pods.filter(isActive),
    terminating: pods.filter((pod) => pod.metadata.deletionTimestamp && !isFinished(pod)).length,
    newSucceeded,
    newFailed,
    succeeded: isIndexed(job)
      ? completedIndexes.size
      : (status.succeeded ?? 0) + succeeded.length + newSucceeded.length,
    failed: (status.failed ?? 0) + failed.length + newFailed.length,
    completedIndexes,
    failedIndexes: failedIndexes(job, pods, completedIndexes),
  };
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === "Succeeded";
}

/** A pod that is being deleted has failed, too, unless podReplacementPolicy is Failed. */
export function hasFailed({ spec }: Job, pod: Pod): boolean {
  if (pod.status?.phase === "Failed") return true;
  return (
    spec.podReplacementPolicy !== "Failed" &&
    pod.metadata.deletionTimestamp !== undefined &&
    !hasSucceeded(pod)
  );
}

export function countsAsFailure(job: Job, pod: Pod): boolean {
  return failureRule(job, pod)?.action !== "Ignore";
}

function completed(job: Job, tracked: readonly Pod[]): Set<number> {
  if (!isIndexed(job)) return new Set();
  const done = tracked.filter(hasSucceeded).flatMap((pod) => indexOf(pod) ?? []);
  const inRange = done.filter((index) => index < (job.spec.completions ?? 1));
  return new Set([...parseIndexes(job.status?.completedIndexes), ...inRange]);
}

function failedIndexes(job: Job, pods: readonly Pod[], done: ReadonlySet<number>): Set<number> {
  const { backoffLimitPerIndex: limit } = job.spec;
  if (limit === undefined) return new Set();
  const failed = pods.filter((pod) => {
    const isLast = failuresOf(job, pod) > limit || failureRule(job, pod)?.action === "FailIndex";
    return hasFailed(job, pod) && isLast;
  });
  const indexes = [
    ...parseIndexes(job.status?.failedIndexes),
    ...failed.flatMap((pod) => indexOf(pod) ?? []),
  ];
  return new Set(indexes.filter((index) => !done.has(index)));
}

interface TerminatedContainer {
  readonly name: string;
  readonly exitCode: number;
}

/** The first rule of a Job's podFailurePolicy that a failed pod matches, and why. */
export function failureRule(
  { spec }: Job,
  pod: Pod,
): { readonly action: PodFailurePolicyRule["action"]; readonly message: string } | undefined {
  if (pod.status?.phase !== "Failed") return undefined;
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const why = matchedCode(rule, pod) ?? matchedCondition(rule, pod);
    if (why) return { action: rule.action, message: `${why} matching ${rule.action} rule at index ${index}` };
  }
  return undefined;
}

function matchedCode({ onExitCodes }: PodFailurePolicyRule, pod: Pod): string | undefined {
  if (!onExitCodes) return undefined;
  const { containerName, operator, values } = onExitCodes;
  const found = terminatedContainers(pod).find(
    ({ name, exitCode }) =>
      exitCode !== 0 &&
      (containerName === undefined || containerName === name) &&
      values.includes(exitCode) === (operator === "In"),
  );
  return found && `Container ${found.name} for pod ${nameOf(pod)} failed with exit code ${found.exitCode}`;
}

function matchedCondition({ onPodConditions = [] }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const found = onPodConditions.find(({ type, status = "True" }) =>
    pod.status?.conditions?.some((condition) => condition.type === type && condition.status === status),
  );
  return found && `Pod ${nameOf(pod)} has condition ${found.type}`;
}

function terminatedContainers({ status }: Pod): TerminatedContainer[] {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.flatMap(({ name, state }) => {
    return state?.terminated ? [{ name, exitCode: state.terminated.exitCode }] : [];
  });
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Counts the failures of the index of a pod, including the pod itself. */
export function failuresOf(job: Job, pod: Pod): number {
  const before = Number(pod.metadata.annotations?.[failureCountAnnotation] ?? 0);
  return hasFailed(job, pod) && countsAsFailure(job, pod) ? before + 1 : before;
}

/** After how many milliseconds a Job exceeds its activeDeadlineSeconds, if it has one. */
export function untilDeadline({ spec, status }: Job, now: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || !status?.startTime || spec.suspend) return undefined;
  return Math.max(0, Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - now);
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === "Indexed";
}

/** The index of a pod of an indexed Job. */
export function indexOf({ metadata }: Pod): number | undefined {
  const index = metadata.annotations?.[indexAnnotation];
  return index === undefined ? undefined : Number(index);
}
