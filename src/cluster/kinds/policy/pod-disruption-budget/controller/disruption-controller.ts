import { isEqual } from "@tsbuilder/apimachinery/json";
import { findController, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import { type Pod, pods } from "../../../../control-loop/api/core.ts";
import type { PodDisruptionBudget } from "@tsbuilder/apimachinery/k8s/policy/v1";
import { podDisruptionBudgets } from "./pod-disruption-budgets.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { sum } from "../../../../control-loop/counts.ts";
import { findByKey, keyOf } from "../../../../control-loop/keys.ts";
import { reporting, type ReportingContext } from "../../../../control-loop/record-event.ts";
import { budgetStatus, evictionTimeout } from "./budget-status.ts";

const user = userOf("disruption");

interface Scaled extends KubernetesObject {
  spec?: { replicas?: number };
}

/** What the steps of the controller work with. */
interface DisruptionContext extends ReportingContext {
  /** The last warning about a budget, so that it is not repeated with each pod that is created or deleted. */
  readonly warned: Map<string, string>;
}

/** Writes the allowed disruptions into the status of each PodDisruptionBudget, where evictions read them. */
export function disruptionController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const warned = new Map<string, string>();
  const steps = { ...reporting(context, user, "controllermanager"), warned };
  return {
    watches: [podDisruptionBudgets, pods],

    keysOf({ resource, object }) {
      if (resource === podDisruptionBudgets) return [keyOf(object)];
      return objects.list(podDisruptionBudgets, object.metadata.namespace).map(keyOf);
    },

    async reconcile(key) {
      const budget = findByKey(objects, podDisruptionBudgets, key);
      if (!budget) warned.delete(key);
      if (!budget || budget.metadata.deletionTimestamp) return undefined;
      const covered = objects
        .list(pods, budget.metadata.namespace)
        .filter(({ metadata }) => matchesLabelSelector(budget.spec?.selector, metadata.labels ?? {}));
      const status = budgetStatus(budget, covered, wantedByOwners(steps, covered), clock.now());
      if (!isEqual(status, budget.status)) await objects.update(user, { ...budget, status }, "status");
      await warn(steps, key, budget, covered);
      return status.disruptedPods ? evictionTimeout : undefined;
    },
  };
}

/** Reports why a budget does not do what it seems to say. */
async function warn(
  context: DisruptionContext,
  key: string,
  budget: PodDisruptionBudget,
  covered: readonly Pod[],
): Promise<void> {
  const { report, warned } = context;
  const reason =
    covered.length === 0 ? "NoPods" : hasUnmanaged(context, budget, covered) ? "UnmanagedPods" : "";
  if (warned.get(key) === reason) return;
  warned.set(key, reason);
  if (reason === "NoPods") await report(budget, "Normal", reason, "No matching pods found");
  if (reason !== "UnmanagedPods") return;
  const why = "Some of its pods have no controller with replicas: set minAvailable to an integer";
  await report(budget, "Warning", reason, why);
}

function hasUnmanaged(
  context: DisruptionContext,
  { spec = {} }: PodDisruptionBudget,
  covered: readonly Pod[],
): boolean {
  const isCount = spec.maxUnavailable === undefined && typeof spec.minAvailable !== "string";
  return !isCount && covered.some((pod) => !ownerOf(context, pod));
}

/** The sum of the replicas of the pods' owners, each owner counted once. */
function wantedByOwners(context: DisruptionContext, covered: readonly Pod[]): number {
  const owners = covered.flatMap((pod) => ownerOf(context, pod) ?? []);
  const distinct = new Map(owners.map((owner) => [owner.metadata.uid, owner.spec?.replicas ?? 0]));
  return sum([...distinct.values()]);
}

/** The object that sets the replicas: for a Deployment's pods the Deployment, not its ReplicaSet. */
function ownerOf(context: DisruptionContext, object: KubernetesObject): Scaled | undefined {
  const { objects } = context;
  const reference = findController(object);
  if (!reference) return undefined;
  const { apiVersion, kind, name } = reference;
  const served = objects.resources().find((one) => one.kind === kind && one.apiVersion === apiVersion);
  if (!served) return undefined;
  const owner = objects.get<Scaled>(served.resource, object.metadata.namespace, name);
  return owner && (ownerOf(context, owner) ?? owner);
}
