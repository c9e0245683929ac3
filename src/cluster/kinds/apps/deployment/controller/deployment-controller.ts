import { isEqual } from "@tsbuilder/apimachinery/json";
import { type Deployment, deployments } from "./deployments.ts";
import { type ReplicaSet, replicaSets } from "../../replica-set/controller/replica-sets.ts";
import { pods } from "../../../../control-loop/api/core.ts";
import { claimDependents } from "../../../../control-loop/claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf, keysOfOwner } from "../../../../control-loop/keys.ts";
import { reporting } from "../../../../control-loop/record-event.ts";
import { ensureCurrent } from "./current-replica-set.ts";
import { deploymentStatus } from "./deployment-status.ts";
import { desiredReplicas } from "./desired-replicas.ts";
import { dropHistory } from "./drop-history.ts";
import { proportionalReplicas, wasScaled } from "./proportional-replicas.ts";
import { isComplete } from "./replica-counts.ts";
import { findCurrent } from "./revisions.ts";
import { untilDeadline } from "./rollout-conditions.ts";
import { endOld, scaleAll } from "./scale-replica-sets.ts";

const user = userOf("deployment");

/** Rolls out a Deployment's template through ReplicaSets, one for each revision of the template. */
export function deploymentController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const steps = reporting(context, user, "deployment-controller");
  return {
    watches: [deployments, replicaSets, pods],

    /** Recreate waits for the deletion of pods. */
    keysOf(event) {
      if (event.resource !== pods) return keysOfOwner(objects, deployments, "Deployment", event);
      if (event.type !== "DELETED") return [];
      const all = objects.list(deployments, event.object.metadata.namespace);
      return all.filter(({ spec }) => spec.strategy?.type === "Recreate").map(keyOf);
    },

    async reconcile(key) {
      const deployment = findByKey(objects, deployments, key);
      if (!deployment) return undefined;
      const owned = await claimDependents(objects, user, deployment, replicaSets);
      if (!deployment.metadata.deletionTimestamp) await rollOut(deployment, owned);
      return updateStatus(key);
    },
  };

  async function rollOut(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<void> {
    if (deployment.spec.paused || wasScaled(deployment, owned)) {
      const target = wasScaled(deployment, owned) ? proportionalReplicas(deployment, owned) : new Map();
      await scaleAll(steps, deployment, owned, target);
      if (deployment.spec.paused) return;
    }
    const found = findCurrent(deployment, owned);
    const old = owned.filter(({ metadata }) => metadata.uid !== found?.metadata.uid);
    if (deployment.spec.strategy?.type === "Recreate" && (await endOld(steps, deployment, old))) return;
    const current = await ensureCurrent(steps, deployment, found, old);
    if (!current) return;
    await scaleAll(steps, deployment, [current, ...old], desiredReplicas(deployment, current, old));
  }

  async function updateStatus(key: string): Promise<number | undefined> {
    const deployment = findByKey(objects, deployments, key);
    if (!deployment) return undefined;
    const owned = await claimDependents(objects, user, deployment, replicaSets);
    const current = findCurrent(deployment, owned);
    const old = owned.filter((replicaSet) => replicaSet !== current);
    const status = deploymentStatus(deployment, current, old, clock.now());
    if (!isEqual(status, deployment.status)) await objects.update(user, { ...deployment, status }, "status");
    if (isComplete(deployment, status)) await dropHistory(steps, deployment, old);
    return untilDeadline({ ...deployment, status }, clock.now());
  }
}
