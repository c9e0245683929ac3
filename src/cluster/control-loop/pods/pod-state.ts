import { compareText } from "@tsbuilder/apimachinery/text";
import type { LooseCondition, Pod, PodStatus } from "../api/core.ts";

/** Returns true if a pod counts towards its controller's replicas: it has not finished and is not being deleted. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !pod.metadata.deletionTimestamp;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** Returns true if a pod has been ready for `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number | undefined, now: number): boolean {
  return untilAvailable(pod, minReadySeconds, now) === 0;
}

/** The milliseconds until a ready pod becomes available: 0 if it is; undefined if it isn't ready. */
function untilAvailable(pod: Pod, minReadySeconds: number | undefined, now: number): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== "True") return undefined;
  if (!minReadySeconds || !condition.lastTransitionTime) return 0;
  const since = Date.parse(condition.lastTransitionTime);
  return Math.max(0, since + minReadySeconds * 1000 - now);
}

/** The milliseconds until the next ready pod becomes available; undefined if all ready pods are. */
export function nextAvailable(
  pods: readonly Pod[],
  minReadySeconds: number | undefined,
  now: number,
): number | undefined {
  const waits = pods
    .map((pod) => untilAvailable(pod, minReadySeconds, now) ?? 0)
    .filter((milliseconds) => milliseconds > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/**
 * Orders pods for deletion: first those without a node, then those that are not running, not ready, of the lowest deletion
 * cost, ready for the shortest time, the youngest; by name if all are equal.
 */
export function compareForDeletion(a: Pod, b: Pod): number {
  return (
    Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    deletionCost(a) - deletionCost(b) ||
    compareText(readyCondition(b)?.lastTransitionTime ?? "", readyCondition(a)?.lastTransitionTime ?? "") ||
    compareText(b.metadata.creationTimestamp ?? "", a.metadata.creationTimestamp ?? "") ||
    compareText(a.metadata.name ?? "", b.metadata.name ?? "")
  );
}

function deletionCost(pod: Pod): number {
  const cost = Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
}

function readyCondition(pod: Pod): LooseCondition | undefined {
  return pod.status?.conditions?.find(({ type }) => type === "Ready");
}

function phaseRank(pod: Pod): number {
  return ["Pending", "Unknown", "Running"].indexOf(pod.status?.phase ?? "Pending");
}

/** Sets a condition of a pod, as the server stores it; lastTransitionTime changes only with its status. */
export function setPodCondition(
  status: PodStatus | undefined,
  condition: LooseCondition,
  now: string,
): PodStatus {
  const conditions = status?.conditions ?? [];
  const previous = conditions.find(({ type }) => type === condition.type);
  const transition = previous?.status === condition.status ? previous.lastTransitionTime : undefined;
  const next: LooseCondition = {
    // Without it, no status would be equal to the stored one, and all of them would be written again.
    lastProbeTime: null,
    ...condition,
    lastTransitionTime: transition === undefined ? now : transition,
  };
  return {
    phase: "Pending",
    ...status,
    conditions: previous
      ? conditions.map((other) => (other === previous ? next : other))
      : [...conditions, next],
  };
}
