import { compareText } from "@tsbuilder/apimachinery/text";
import type { LooseCondition, Pod } from "../api/core.ts";

/** Tells whether a pod still counts towards what its controller wants: it runs or may come to run. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !pod.metadata.deletionTimestamp;
}

/** Tells whether a pod has run to its end. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Tells whether a pod is ready to serve. */
export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/**
 * For how many milliseconds more a pod must stay ready to be available: 0 if it is, `undefined` if it isn't
 * ready at all.
 */
function untilAvailable(pod: Pod, minReadySeconds: number | undefined, now: number): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== "True") return undefined;
  if (!minReadySeconds || !condition.lastTransitionTime) return 0;
  const since = Date.parse(condition.lastTransitionTime);
  return Math.max(0, since + minReadySeconds * 1000 - now);
}

/** Tells whether a pod has been ready for long enough. */
export function isAvailable(pod: Pod, minReadySeconds: number | undefined, now: number): boolean {
  return untilAvailable(pod, minReadySeconds, now) === 0;
}

/** After how many milliseconds the next of the pods becomes available by time alone, if one will. */
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
 * Orders pods by how little is lost when they go: those without a node first, then those not running, not
 * ready, ready for the shortest time, and the youngest.
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
