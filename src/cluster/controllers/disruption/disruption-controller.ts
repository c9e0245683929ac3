import { findController, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/patch";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import { type Pod, pods } from "../api/core.ts";
import { podDisruptionBudgets } from "../api/policy.ts";
import { type Controller, type ControllerContext, userOf } from "../controller.ts";
import { sum } from "../deployment/replica-counts.ts";
import { findByKey, keyOf } from "../keys.ts";
import { budgetStatus } from "./budget-status.ts";

const user = userOf("disruption");

interface Scaled extends KubernetesObject {
  spec?: { replicas?: number };
}

/** Says in the status of each budget how many of its pods may go; evictions look there. */
export function disruptionController({ objects, clock }: ControllerContext): Controller {
  return {
    name: "disruption",
    watches: [podDisruptionBudgets, pods],

    keysOf({ resource, object }) {
      if (resource === podDisruptionBudgets) return [keyOf(object)];
      return objects.list(podDisruptionBudgets, object.metadata.namespace).map(keyOf);
    },

    async reconcile(key) {
      const budget = findByKey(objects, podDisruptionBudgets, key);
      if (!budget || budget.metadata.deletionTimestamp) return undefined;
      const covered = objects
        .list(pods, budget.metadata.namespace)
        .filter(({ metadata }) => matchesLabelSelector(budget.spec.selector, metadata.labels ?? {}));
      const status = budgetStatus(budget, covered, wantedByOwners(covered), clock.now());
      if (!isEqual(status, budget.status)) await objects.update(user, { ...budget, status }, "status");
      return undefined;
    },
  };

  /** How many pods the owners of these ask for, each owner once. */
  function wantedByOwners(covered: readonly Pod[]): number {
    const owners = covered.flatMap((pod) => ownerOf(pod) ?? []);
    const distinct = new Map(owners.map((owner) => [owner.metadata.uid, owner.spec?.replicas ?? 0]));
    return sum([...distinct.values()]);
  }

  /** Whoever says how many there are: of a Deployment's pods the Deployment, not its ReplicaSet. */
  function ownerOf(object: KubernetesObject): Scaled | undefined {
    const reference = findController(object);
    if (!reference) return undefined;
    const { apiVersion, kind, name } = reference;
    const served = objects.resources().find((one) => one.kind === kind && one.apiVersion === apiVersion);
    if (!served) return undefined;
    const owner = objects.get<Scaled>(served.resource, object.metadata.namespace, name);
    return owner && (ownerOf(owner) ?? owner);
  }
}
