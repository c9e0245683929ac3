import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Pod } from "../../../../control-loop/api/core.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "@tsbuilder/apimachinery/k8s/policy/v1";
import { scaledCount } from "../../../../control-loop/counts.ts";
import { isFinished, isReady } from "../../../../control-loop/pods/pod-state.ts";

/** How long an admitted eviction counts before its pod is deleted, in milliseconds. */
export const evictionTimeout = 120_000;

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
  const isCount = maxUnavailable === undefined && typeof minAvailable !== "string";
  const expectedPods = isCount ? pods.filter((pod) => !isFinished(pod)).length : wantedByOwners;
  const desiredHealthy =
    maxUnavailable === undefined
      ? scaledCount(minAvailable ?? 1, expectedPods, Math.ceil)
      : Math.max(0, expectedPods - scaledCount(maxUnavailable, expectedPods, Math.ceil));
  const disruptedPods = underEviction(budget, pods, now);
  const staying = pods.filter(({ metadata }) => {
    return !metadata.deletionTimestamp && disruptedPods[metadata.name!] === undefined;
  });
  const currentHealthy = staying.filter(isReady).length;
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return {
    observedGeneration: budget.metadata.generation ?? 0,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
    conditions: [allowed(budget, disruptionsAllowed > 0, now)],
  };
}

function underEviction(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: number,
): Record<string, string> {
  const staying = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const noted = Object.entries(status?.disruptedPods ?? {}).filter(
    ([name, since]) =>
      staying.some(({ metadata }) => metadata.name === name) && Date.parse(since) + evictionTimeout > now,
  );
  return Object.fromEntries(noted);
}

function allowed(
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
    lastTransitionTime:
      last?.status === state ? (last.lastTransitionTime ?? formatTime(now)) : formatTime(now),
  };
}
