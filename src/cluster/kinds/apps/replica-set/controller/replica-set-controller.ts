import type { Controller, ControllerContext } from "../../../../control-loop/controller.ts";
import { replicatedPods } from "./replicated-pods.ts";
import { replicaSets } from "./replica-sets.ts";

/** Keeps as many pods of a ReplicaSet as its replicas say. */
export function replicaSetController(context: ControllerContext): Controller {
  return replicatedPods(context, {
    resource: replicaSets,
    kind: "ReplicaSet",
    user: "replicaset",
    component: "replicaset-controller",
    asReplicaSet: (replicaSet) => replicaSet,
    withStatus: (replicaSet, status) => ({ ...replicaSet, status }),
  });
}
