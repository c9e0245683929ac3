import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { Defaulted } from "../../../../control-loop/defaulted.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type CronJob = Defaulted<
  Stored<batch.CronJob>,
  "successfulJobsHistoryLimit" | "failedJobsHistoryLimit"
>;

export const cronJobs: ResourceName<CronJob> = "cronjobs.batch";
