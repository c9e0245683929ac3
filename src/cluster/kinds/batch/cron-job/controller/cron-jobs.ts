import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type CronJob = Stored<batch.CronJob>;

export const cronJobs: ResourceName<CronJob> = "cronjobs.batch";
