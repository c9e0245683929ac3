import { isEqual } from "@tsbuilder/apimachinery/json";
import { type ReplicaSet, replicaSets } from "./replica-sets.ts";
import { type Pod, pods } from "../../../../control-loop/api/core.ts";
import { claimDependents } from "../../../../control-loop/claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { reportedFailure } from "../../../../control-loop/failures.ts";
import { findByKey, keysOfOwner } from "../../../../control-loop/keys.ts";
import { burst } from "../../../../control-loop/pods/burst.ts";
import { createPod } from "../../../../control-loop/pods/create-pod.ts";
import { newPod } from "../../../../control-loop/pods/new-pod.ts";
import { compareForDeletion, isActive, nextAvailable } from "../../../../control-loop/pods/pod-state.ts";
import { reporter } from "../../../../control-loop/record-event.ts";
import { replicaSetStatus } from "./replica-set-status.ts";

const user = userOf("replicaset");

/** Keeps as many pods of a ReplicaSet as its replicas say. */
export function replicaSetController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const report = reporter(context, "replicaset-controller");
  return {
    watches: [replicaSets, pods],
    keysOf: (event) => keysOfOwner(objects, replicaSets, "ReplicaSet", event),

    async reconcile(key) {
      const replicaSet = findByKey(objects, replicaSets, key);
      if (!replicaSet) return undefined;
      const owned = (await claimDependents(objects, user, replicaSet, pods)).filter(isActive);
      const failure = replicaSet.metadata.deletionTimestamp
        ? undefined
        : await reportedFailure(scale(replicaSet, owned));
      const after = await updateStatus(key, failure?.message);
      if (failure) throw failure;
      return after;
    },
  };

  async function scale(replicaSet: ReplicaSet, owned: readonly Pod[]): Promise<void> {
    const missing = replicaSet.spec.replicas - owned.length;
    for (let count = 0; count < Math.min(missing, burst); count++) {
      const generateName = `${replicaSet.metadata.name}-`;
      const pod = newPod(replicaSet, replicaSet.spec.template, { generateName });
      const { metadata } = await createPod(objects, user, pod, (refusal) =>
        report(replicaSet, "Warning", "FailedCreate", `Error creating: ${refusal}`),
      );
      await report(replicaSet, "Normal", "SuccessfulCreate", `Created pod: ${metadata.name}`);
    }
    const surplus = [...owned].sort(compareForDeletion).slice(0, Math.max(0, -missing));
    for (const pod of surplus) {
      await objects.delete(user, pod, { uid: pod.metadata.uid });
      await report(replicaSet, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
    }
  }

  async function updateStatus(key: string, refusal: string | undefined): Promise<number | undefined> {
    const replicaSet = findByKey(objects, replicaSets, key);
    if (!replicaSet) return undefined;
    const owned = await claimDependents(objects, user, replicaSet, pods);
    const status = replicaSetStatus(replicaSet, owned, refusal, clock.now());
    if (!isEqual(status, replicaSet.status)) {
      await objects.update(user, { ...replicaSet, status }, "status");
    }
    return nextAvailable(owned.filter(isActive), replicaSet.spec.minReadySeconds, clock.now());
  }
}
