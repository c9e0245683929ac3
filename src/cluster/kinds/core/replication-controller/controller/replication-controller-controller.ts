import type { Controller, ControllerContext } from "../../../../control-loop/controller.ts";
import { replicatedPods } from "../../../apps/replica-set/controller/replicated-pods.ts";
import type { ReplicaSet, ReplicaSetStatus } from "../../../apps/replica-set/controller/replica-sets.ts";
import { type ReplicationController, replicationControllers } from "./replication-controllers.ts";

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
