import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { Defaulted } from "../../../../control-loop/defaulted.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type StatefulSet = Defaulted<
  Stored<apps.StatefulSet>,
  "replicas" | "revisionHistoryLimit" | "podManagementPolicy"
>;
export type StatefulSetStatus = Stored<apps.StatefulSetStatus>;

export const statefulSets: ResourceName<StatefulSet> = "statefulsets.apps";
