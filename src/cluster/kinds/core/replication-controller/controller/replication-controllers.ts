import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Defaulted } from "../../../../control-loop/defaulted.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type ReplicationController = Defaulted<Stored<core.ReplicationController>, "replicas">;

export const replicationControllers: ResourceName<ReplicationController> = "replicationcontrollers";
