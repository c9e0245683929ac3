import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Controller, ControllerContext } from "../../../../control-loop/controller.ts";
import { replicatedPods } from "../../../apps/replica-set/controller/replicated-pods.ts";
import type { ReplicaSet, ReplicaSetStatus } from "../../../apps/replica-set/controller/replica-sets.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Defaulted } from "../../../../control-loop/defaulted.ts";
import type { Stored } from "../../../../contract/stored.ts";

/** Keeps as many pods of a ReplicationController as its replicas say. */
export function replicationControllerController(context: ControllerContext): Controller {
  return replicatedPods(context, {
    resource: replicationControllers,
    kind: "ReplicationController",
    user: "replication",
    component: "replication-controller",
    asReplicaSet,
    withStatus,
  });
}

/** Its selector is a map of labels. */
function asReplicaSet({ spec, status, ...object }: ReplicationController): ReplicaSet {
  const selector = { matchLabels: spec.selector };
  return { ...object, spec: { ...spec, selector }, ...(status && { status }) };
}

/** Its status doesn't count terminating pods. */
function withStatus(
  object: ReplicationController,
  { terminatingReplicas: _terminating, ...status }: ReplicaSetStatus,
): ReplicationController {
  return { ...object, status };
}

export type ReplicationController = Defaulted<Stored<core.ReplicationController>, "replicas">;

export const replicationControllers: ResourceName<ReplicationController> = "replicationcontrollers";
