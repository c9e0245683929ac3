import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { PodTemplateSpec } from "./core.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";

/** A revision of a StatefulSet or DaemonSet; the API does not specify its data. */
export type ControllerRevision = Omit<apps.ControllerRevision, "data"> & {
  data: { spec: { template: PodTemplateSpec } };
};

export const controllerRevisions: ResourceName<ControllerRevision> = "controllerrevisions.apps";
