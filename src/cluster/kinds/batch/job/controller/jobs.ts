import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { Defaulted } from "../../../../control-loop/defaulted.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type Job = Defaulted<Stored<batch.Job>, "backoffLimit" | "parallelism">;
export type JobStatus = Stored<batch.JobStatus>;
export type PodFailurePolicyRule = Stored<batch.PodFailurePolicyRule>;

export const jobs: ResourceName<Job> = "jobs.batch";
