import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Defaulted, LooseCondition, Pod } from "../../../control-loop/api/core.ts";
import { isActive, isFinished } from "../../../control-loop/pods/pod-state.ts";
import { parseIndexes } from "./indexes.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";
import type { Stored } from "../../../contract/api-object.ts";

export type Job = Defaulted<Stored<batch.Job>, "backoffLimit" | "parallelism">;

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

/** Counts a Job's pods; of an indexed Job, each index counts once. */
export function jobProgress(job: Job, pods: readonly Pod[]): JobProgress {
  const { status = {} } = job;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const seen = new Set([...succeeded, ...failed]);
  const fresh = pods.filter((pod) => isTracked(pod) && !seen.has(pod.metadata.uid!));
  const newSucceeded = fresh.filter(hasSucceeded);
  const newFailed = fresh.filter((pod) => hasFailed(job, pod) && countsAsFailure(job, pod));
  const completedIndexes = findCompletedIndexes(job, pods.filter(isTracked));
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
    failedIndexes: findFailedIndexes(job, pods, completedIndexes),
  };
}

export type JobStatus = Stored<batch.JobStatus>;

export const jobs: ResourceName<Job> = "jobs.batch";

/** The annotation with the index of an indexed Job's pod. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";

/** The annotation with the number of failures of that index before the pod. */
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";

/** The finalizer that retains a pod until its Job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";

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

function findCompletedIndexes(job: Job, tracked: readonly Pod[]): Set<number> {
  if (!isIndexed(job)) return new Set();
  const done = tracked.filter(hasSucceeded).flatMap((pod) => indexOf(pod) ?? []);
  const inRange = done.filter((index) => index < (job.spec.completions ?? 1));
  return new Set([...parseIndexes(job.status?.completedIndexes), ...inRange]);
}

function findFailedIndexes(job: Job, pods: readonly Pod[], done: ReadonlySet<number>): Set<number> {
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

type PodFailurePolicyRule = Stored<batch.PodFailurePolicyRule>;

/** The first rule of a Job's podFailurePolicy that a failed pod matches, and why. */
function failureRule(
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

interface TerminatedContainer {
  readonly name: string;
  readonly exitCode: number;
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

export function indexOf({ metadata }: Pod): number | undefined {
  const index = metadata.annotations?.[indexAnnotation];
  return index === undefined ? undefined : Number(index);
}

/** The end of a Job, as its condition says it. */
export interface JobOutcome {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

/** The outcome of a Job; undefined while it runs. An announced outcome is final. */
export function jobOutcome(
  job: Job,
  pods: readonly Pod[],
  progress: JobProgress,
  now: number,
): JobOutcome | undefined {
  return (
    announcedOutcome(job) ??
    policyFailure(job, pods) ??
    limitFailure(job, progress, now) ??
    indexFailure(job, progress) ??
    success(job, progress)
  );
}

/** The outcome that a Job's status announces: it ends as soon as its last pods have terminated. */
export function announcedOutcome({ status }: Job): JobOutcome | undefined {
  const found = status?.conditions?.find(
    ({ type, status }) => (type === "FailureTarget" || type === "SuccessCriteriaMet") && status === "True",
  );
  if (!found) return undefined;
  const { reason = "", message = "" } = found;
  return { type: found.type === "FailureTarget" ? "Failed" : "Complete", reason, message };
}

function policyFailure(job: Job, pods: readonly Pod[]): JobOutcome | undefined {
  for (const pod of pods) {
    const rule = hasFailed(job, pod) ? failureRule(job, pod) : undefined;
    if (rule?.action === "FailJob") return failed("PodFailurePolicy", rule.message);
  }
  return undefined;
}

function limitFailure(job: Job, progress: JobProgress, now: number): JobOutcome | undefined {
  if (progress.failed > job.spec.backoffLimit) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (untilDeadline(job, now) !== 0) return undefined;
  return failed("DeadlineExceeded", "Job was active longer than specified deadline");
}

function indexFailure({ spec }: Job, { failedIndexes, succeeded }: JobProgress): JobOutcome | undefined {
  if (failedIndexes.size === 0) return undefined;
  if (failedIndexes.size > (spec.maxFailedIndexes ?? Number.POSITIVE_INFINITY)) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failed("MaxFailedIndexesExceeded", message);
  }
  const isLast = failedIndexes.size + succeeded >= (spec.completions ?? 1);
  return isLast ? failed("FailedIndexes", "Job has failed indexes") : undefined;
}

function failed(reason: string, message: string): JobOutcome {
  return { type: "Failed", reason, message };
}

function success(job: Job, progress: JobProgress): JobOutcome | undefined {
  const rule = satisfiedRule(job, progress);
  if (rule >= 0) {
    return { type: "Complete", reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
  }
  if (!isFulfilled(job, progress)) return undefined;
  const message = "Reached expected number of succeeded pods";
  return { type: "Complete", reason: "CompletionsReached", message };
}

/** The index of the first successPolicy rule that the completed indexes satisfy, or -1. */
function satisfiedRule(job: Job, { completedIndexes }: JobProgress): number {
  if (!isIndexed(job)) return -1;
  return (job.spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    const wanted = succeededIndexes === undefined ? completedIndexes : parseIndexes(succeededIndexes);
    const done = [...wanted].filter((index) => completedIndexes.has(index)).length;
    return done >= (succeededCount ?? wanted.size) && done > 0;
  });
}

/** Without completions, the Job is complete after one success, once no pods are active. */
function isFulfilled({ spec }: Job, { active, succeeded }: JobProgress): boolean {
  if (spec.completions === undefined) return succeeded > 0 && active.length === 0;
  return succeeded >= spec.completions && active.length === 0;
}

export function finishedCondition({ status }: Job): LooseCondition | undefined {
  return status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

/** The conditions by which an outcome is announced before the finalizers of the pods are removed. */
const announcedTypes = { Complete: "SuccessCriteriaMet", Failed: "FailureTarget" } as const;

/** The conditions of a status with an outcome, if there is one: announced first, and final afterwards. */
export function outcomeConditions(
  job: Job,
  outcome: JobOutcome | undefined,
  stage: "announced" | "final",
  now: number,
): { conditions?: LooseCondition[] } {
  const kept = (job.status?.conditions ?? []).filter(({ type }) => type !== "Suspended");
  const conditions = [...suspendedCondition(job, now), ...kept];
  if (outcome) {
    const type = stage === "final" ? outcome.type : announcedTypes[outcome.type];
    const isKnown = kept.some((condition) => condition.type === type);
    if (!isKnown) conditions.push(jobCondition(type, "True", outcome.reason, outcome.message, now));
  }
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
