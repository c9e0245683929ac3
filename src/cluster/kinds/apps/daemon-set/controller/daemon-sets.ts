import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type DaemonSet = Stored<apps.DaemonSet>;
export type DaemonSetStatus = Stored<apps.DaemonSetStatus>;

export const daemonSets: ResourceName<DaemonSet> = "daemonsets.apps";
