import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { PodTemplateSpec } from "./core.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { Stored } from "../../contract/stored.ts";

/** A revision of a StatefulSet or DaemonSet: the API leaves open what its data is. */
export type ControllerRevision = Omit<apps.ControllerRevision, "data"> & {
  data: { spec: { template: PodTemplateSpec } };
};
export type DaemonSet = Stored<apps.DaemonSet>;
export type DaemonSetStatus = Stored<apps.DaemonSetStatus>;
export type Deployment = Stored<apps.Deployment>;
export type DeploymentStatus = Stored<apps.DeploymentStatus>;
export type ReplicaSet = Stored<apps.ReplicaSet>;
export type ReplicaSetStatus = Stored<apps.ReplicaSetStatus>;
export type StatefulSet = Stored<apps.StatefulSet>;
export type StatefulSetStatus = Stored<apps.StatefulSetStatus>;

export const replicaSets: ResourceName<ReplicaSet> = "replicasets.apps";
export const deployments: ResourceName<Deployment> = "deployments.apps";
export const statefulSets: ResourceName<StatefulSet> = "statefulsets.apps";
export const daemonSets: ResourceName<DaemonSet> = "daemonsets.apps";
export const controllerRevisions: ResourceName<ControllerRevision> = "controllerrevisions.apps";
