import type { PodDisruptionBudget } from "@tsbuilder/apimachinery/k8s/policy/v1";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Pod } from "../../control-loop/api/core.ts";
import { type Host, type Refusal, type Snapshot, lasting, refusalOf } from "./filters.ts";

/** Pods of lower priority that have to leave a node so that another may run there. */
export interface Victims {
  readonly host: Host;
  /** The most important first. */
  readonly pods: readonly Pod[];
  /** How many of them a PodDisruptionBudget protects. */
  readonly violations: number;
}

/** Where preemption makes room, or why it does not for those hosts where it was tried. */
export type Preemption = { readonly victims: Victims } | { readonly refusals: ReadonlyMap<Host, Refusal> };

/** Tries the hosts whose refusal may pass, and chooses the one where the least is lost. */
export function preempt(
  pod: Pod,
  refusals: ReadonlyMap<Host, Refusal>,
  snapshot: Snapshot,
  budgets: readonly PodDisruptionBudget[],
): Preemption {
  const failed = new Map<Host, Refusal>();
  const candidates: Victims[] = [];
  for (const [host, { isLasting }] of refusals) {
    if (isLasting) continue;
    const found = victimsOn(host, pod, snapshot, budgets);
    if ("pods" in found) candidates.push(found);
    else failed.set(host, found);
  }
  const [best] = candidates.toSorted(compareVictims);
  return best ? { victims: best } : { refusals: failed };
}

export function priorityOf({ spec }: Pod): number {
  return spec.priority ?? 0;
}

/** All pods of lower priority leave, and those come back that there is room for, the protected and important first. */
function victimsOn(
  host: Host,
  pod: Pod,
  snapshot: Snapshot,
  budgets: readonly PodDisruptionBudget[],
): Victims | Refusal {
  const lower = host.pods.filter((other) => priorityOf(other) < priorityOf(pod)).toSorted(compareImportance);
  if (lower.length === 0) return lasting("No preemption victims found for incoming pod");
  const refusedWith = (pods: readonly Pod[]): Refusal | undefined => {
    const emptier = { ...host, pods };
    const hosts = snapshot.hosts.map((one) => (one === host ? emptier : one));
    return refusalOf(pod, emptier, { ...snapshot, hosts });
  };
  let staying = host.pods.filter((other) => !lower.includes(other));
  const refusal = refusedWith(staying);
  if (refusal) return refusal;
  const guarded = protectedBy(budgets, lower);
  const victims: Pod[] = [];
  for (const other of [
    ...lower.filter((one) => guarded.has(one)),
    ...lower.filter((one) => !guarded.has(one)),
  ]) {
    if (refusedWith([...staying, other])) victims.push(other);
    else staying = [...staying, other];
  }
  return {
    host,
    pods: victims.toSorted(compareImportance),
    violations: victims.filter((victim) => guarded.has(victim)).length,
  };
}

/** The pods whose loss is more than their budgets allow, if they are lost in this order. */
function protectedBy(budgets: readonly PodDisruptionBudget[], pods: readonly Pod[]): Set<Pod> {
  const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const guarded = new Set<Pod>();
  for (const pod of pods) {
    for (const [budget, allowed] of left) {
      const { namespace, labels, name = "" } = pod.metadata;
      if (budget.metadata?.namespace !== namespace || !matchesLabelSelector(budget.spec?.selector, labels))
        continue;
      if (budget.status?.disruptedPods?.[name] !== undefined) continue;
      left.set(budget, allowed - 1);
      if (allowed <= 0) guarded.add(pod);
    }
  }
  return guarded;
}

function compareImportance(a: Pod, b: Pod): number {
  return priorityOf(b) - priorityOf(a) || startOf(a) - startOf(b);
}

/** A pod that has not started yet is the least important one. */
function startOf({ status }: Pod): number {
  return status?.startTime === undefined ? Infinity : Date.parse(status.startTime);
}

/** The fewest protected pods, the lowest priorities, the fewest pods, the youngest. */
function compareVictims(a: Victims, b: Victims): number {
  return (
    a.violations - b.violations ||
    priorityOf(a.pods[0]!) - priorityOf(b.pods[0]!) ||
    weightOf(a) - weightOf(b) ||
    a.pods.length - b.pods.length ||
    earliest(b) - earliest(a)
  );
}

/** Every pod weighs something, however low its priority is. */
function weightOf({ pods }: Victims): number {
  return pods.reduce((sum, pod) => sum + priorityOf(pod) + 2 ** 31, 0);
}

/** When the first of the most important victims started. */
function earliest({ pods }: Victims): number {
  const highest = pods.filter((pod) => priorityOf(pod) === priorityOf(pods[0]!));
  return Math.min(...highest.map(startOf));
}
