import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { Defaulted } from "../../../../control-loop/defaulted.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type ReplicaSet = Defaulted<Stored<apps.ReplicaSet>, "replicas">;
export type ReplicaSetStatus = Stored<apps.ReplicaSetStatus>;

export const replicaSets: ResourceName<ReplicaSet> = "replicasets.apps";
