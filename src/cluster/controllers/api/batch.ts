import type { KubernetesObject, LabelSelector, ObjectMeta, Time } from "@tsbuilder/apimachinery/meta";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { LooseCondition, PodTemplate } from "./core.ts";

interface JobSpec {
  parallelism?: number;
  completions?: number;
  completionMode?: string;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  podFailurePolicy?: { rules: PodFailureRule[] };
  podReplacementPolicy?: string;
  successPolicy?: { rules: { succeededIndexes?: string; succeededCount?: number }[] };
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  suspend?: boolean;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplate;
}

/** What a failure of a pod means to its Job. */
export interface PodFailureRule {
  action: "FailJob" | "FailIndex" | "Ignore" | "Count";
  onExitCodes?: { containerName?: string; operator: "In" | "NotIn"; values: number[] };
  onPodConditions?: { type: string; status?: string }[];
}

export interface JobStatus {
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  startTime?: Time;
  completionTime?: Time;
  completedIndexes?: string;
  failedIndexes?: string;
  conditions?: LooseCondition[];
  /** The uids of pods that have ended, from before they are let go until they are counted. */
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
}

export interface Job extends KubernetesObject {
  spec: JobSpec;
  status?: JobStatus;
}

interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

export interface CronJob extends KubernetesObject {
  spec: {
    schedule: string;
    timeZone?: string;
    startingDeadlineSeconds?: number;
    concurrencyPolicy?: string;
    suspend?: boolean;
    jobTemplate: { metadata?: ObjectMeta; spec: JobSpec };
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
  };
  status?: { active?: ObjectReference[]; lastScheduleTime?: Time; lastSuccessfulTime?: Time };
}

export const jobs: ResourceName<Job> = "jobs.batch";
export const cronJobs: ResourceName<CronJob> = "cronjobs.batch";
