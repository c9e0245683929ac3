import { isEqual } from "@tsbuilder/apimachinery/patch";
import { type ReplicaSet, replicaSets } from "../api/apps.ts";
import { type Pod, pods } from "../api/core.ts";
import { claimDependents } from "../claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../controller.ts";
import { findByKey, keysOfOwner } from "../keys.ts";
import { burst } from "../pods/burst.ts";
import { newPod } from "../pods/new-pod.ts";
import { compareForDeletion, isActive, nextAvailable } from "../pods/pod-state.ts";
import { reporter } from "../record-event.ts";
import { replicaSetStatus } from "./replica-set-status.ts";

const user = userOf("replicaset");

/** Keeps as many pods of a ReplicaSet as it asks for. */
export function replicaSetController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const report = reporter(context, "replicaset-controller");
  return {
    name: "replicaset",
    watches: [replicaSets, pods],
    keysOf: (event) => keysOfOwner(objects, replicaSets, "ReplicaSet", event),

    async reconcile(key) {
      const replicaSet = findByKey(objects, replicaSets, key);
      if (!replicaSet) return undefined;
      const owned = (await claimDependents(objects, user, replicaSet, pods)).filter(isActive);
      if (!replicaSet.metadata.deletionTimestamp) await scale(replicaSet, owned);
      return updateStatus(key);
    },
  };

  async function scale(replicaSet: ReplicaSet, owned: readonly Pod[]): Promise<void> {
    const missing = (replicaSet.spec.replicas ?? 1) - owned.length;
    for (let count = 0; count < Math.min(missing, burst); count++) {
      const generateName = `${replicaSet.metadata.name}-`;
      const pod = await objects.create(user, newPod(replicaSet, replicaSet.spec.template, { generateName }));
      await report(replicaSet, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
    }
    const surplus = [...owned].sort(compareForDeletion).slice(0, Math.max(0, -missing));
    for (const pod of surplus) {
      await objects.delete(user, pod, { uid: pod.metadata.uid });
      await report(replicaSet, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
    }
  }

  async function updateStatus(key: string): Promise<number | undefined> {
    const replicaSet = findByKey(objects, replicaSets, key);
    if (!replicaSet) return undefined;
    const owned = await claimDependents(objects, user, replicaSet, pods);
    const status = replicaSetStatus(replicaSet, owned, clock.now());
    if (!isEqual(status, replicaSet.status)) {
      await objects.update(user, { ...replicaSet, status }, "status");
    }
    return nextAvailable(owned.filter(isActive), replicaSet.spec.minReadySeconds, clock.now());
  }
}
