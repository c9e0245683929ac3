import type { KubernetesObject, LabelSelector, ObjectMeta, Time } from "@tsbuilder/apimachinery/meta";
import type { ResourceName } from "../objects.ts";
import type { LooseCondition, PodTemplate } from "./core.ts";

interface JobSpec {
  parallelism?: number;
  completions?: number;
  completionMode?: string;
  backoffLimit?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  suspend?: boolean;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplate;
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
  conditions?: LooseCondition[];
  uncountedTerminatedPods?: object;
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
