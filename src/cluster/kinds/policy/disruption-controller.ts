import { isEqual } from "@tsbuilder/apimachinery/json";
import { type KubernetesObject, findController, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "@tsbuilder/apimachinery/k8s/policy/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type Pod, pods } from "../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { scaledCount, sum } from "../../control-loop/counts.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import { reporting } from "../../control-loop/record-event.ts";
import { isFinished, isReady } from "../../control-loop/pods/pod-state.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";

export const podDisruptionBudgets: ResourceName<PodDisruptionBudget> = "poddisruptionbudgets.policy";
const user = userOf("disruption");

/** An object with replicas, like a Deployment. */
interface ObjectWithReplicas extends KubernetesObject {
  spec?: { replicas?: number };
}

/** How long a pod with an admitted eviction counts as disrupted if it is not deleted. */
const evictionTimeoutMilliseconds = 120_000;

/** Writes the allowed disruptions into the status of each PodDisruptionBudget, where the eviction of a pod reads them. */
export function disruptionController(context: ControllerContext): Controller {
  const { objects, clock, report } = reporting(context, user, "controllermanager");
  /** The last warning about a budget, so that it is not repeated with each pod that is created or deleted. */
  const warned = new Map<string, string>();
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
      const status = budgetStatus(budget, covered, sumOfReplicas(covered), clock.now());
      if (!isEqual(status, budget.status)) await objects.update(user, { ...budget, status }, "status");
      await warn(key, budget, covered);
      return status.disruptedPods ? evictionTimeoutMilliseconds : undefined;
    },
  };

  /** Reports a budget that covers no pods, or pods whose desired number is unknown. */
  async function warn(key: string, budget: PodDisruptionBudget, covered: readonly Pod[]): Promise<void> {
    const hasUnmanaged = !countsPods(budget) && covered.some((pod) => !ownerOf(pod));
    const reason = covered.length === 0 ? "NoPods" : hasUnmanaged ? "UnmanagedPods" : "";
    if (warned.get(key) === reason) return;
    warned.set(key, reason);
    if (reason === "NoPods") await report(budget, "Normal", reason, "No matching pods found");
    if (reason !== "UnmanagedPods") return;
    const why = "Some of its pods have no controller with replicas: set minAvailable to an integer";
    await report(budget, "Warning", reason, why);
  }

  /** The sum of the replicas of the pods' owners, each owner counted once. */
  function sumOfReplicas(covered: readonly Pod[]): number {
    const owners = covered.flatMap((pod) => ownerOf(pod) ?? []);
    const distinct = new Map(owners.map((owner) => [owner.metadata.uid, owner.spec?.replicas ?? 0]));
    return sum([...distinct.values()]);
  }

  /** Finds the object that sets the replicas: for a Deployment's pods the Deployment, but no owner of workloads. */
  function ownerOf(object: KubernetesObject): ObjectWithReplicas | undefined {
    const reference = findController(object);
    if (!reference) return undefined;
    const { apiVersion, kind, name } = reference;
    const served = objects.findKind(parseApiVersion(apiVersion).group, kind);
    if (served?.apiVersion !== apiVersion) return undefined;
    const owner = objects.get<ObjectWithReplicas>(served.resource, object.metadata.namespace, name);
    const isOfDeployment = kind === "ReplicaSet" && owner && findController(owner)?.kind === "Deployment";
    return isOfDeployment ? ownerOf(owner) : owner;
  }
}

/** Returns true if a budget expects the pods that exist, and not the replicas that their owners want. */
function countsPods({ spec = {} }: PodDisruptionBudget): boolean {
  return spec.maxUnavailable === undefined && typeof spec.minAvailable !== "string";
}

/**
 * Computes how many disruptions a budget allows, from its pods and from the replicas of their owners. Pods
 * with an admitted eviction count as gone until they are deleted, or until the eviction times out.
 */
export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  wantedByOwners: number,
  now: number,
): PodDisruptionBudgetStatus {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  const expectedPods = countsPods(budget) ? pods.filter((pod) => !isFinished(pod)).length : wantedByOwners;
  const desiredHealthy =
    maxUnavailable === undefined
      ? scaledCount(minAvailable ?? 1, expectedPods, Math.ceil)
      : Math.max(0, expectedPods - scaledCount(maxUnavailable, expectedPods, Math.ceil));
  const present = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const disrupted = Object.entries(budget.status?.disruptedPods ?? {}).filter(
    ([name, since]) =>
      present.some(({ metadata }) => metadata.name === name) &&
      Date.parse(since) + evictionTimeoutMilliseconds > now,
  );
  const disruptedPods: Record<string, string> = Object.fromEntries(disrupted);
  const staying = present.filter(({ metadata }) => disruptedPods[metadata.name!] === undefined);
  const currentHealthy = staying.filter(isReady).length;
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return {
    observedGeneration: budget.metadata.generation ?? 0,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    ...(disrupted.length > 0 ? { disruptedPods } : {}),
    conditions: [allowedCondition(budget, disruptionsAllowed > 0, now)],
  };
}

function allowedCondition(
  { metadata, status }: PodDisruptionBudget,
  isAllowed: boolean,
  now: number,
): NonNullable<PodDisruptionBudgetStatus["conditions"]>[number] {
  const last = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const state = isAllowed ? "True" : "False";
  return {
    type: "DisruptionAllowed",
    status: state,
    reason: isAllowed ? "SufficientPods" : "InsufficientPods",
    message: "",
    observedGeneration: metadata.generation ?? 0,
    lastTransitionTime: (last?.status === state && last.lastTransitionTime) || formatTime(now),
  };
}
