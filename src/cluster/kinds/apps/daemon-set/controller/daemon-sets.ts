import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { Defaulted } from "../../../../control-loop/defaulted.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type DaemonSet = Defaulted<Stored<apps.DaemonSet>, "revisionHistoryLimit">;
export type DaemonSetStatus = Stored<apps.DaemonSetStatus>;

export const daemonSets: ResourceName<DaemonSet> = "daemonsets.apps";
