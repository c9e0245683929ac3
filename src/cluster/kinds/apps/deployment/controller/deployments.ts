import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { Defaulted } from "../../../../control-loop/defaulted.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type Deployment = Defaulted<Stored<apps.Deployment>, "replicas" | "revisionHistoryLimit">;
export type DeploymentStatus = Stored<apps.DeploymentStatus>;

export const deployments: ResourceName<Deployment> = "deployments.apps";
