import type { PodDisruptionBudget } from "@tsbuilder/apimachinery/k8s/policy/v1";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Pod } from "../../control-loop/api/core.ts";
import { type Host, type Refusal, type Snapshot, lasting, refusalOf } from "./filters.ts";

/** Pods of lower priority that have to leave a node so that another may run there. */
export interface Victims {
  readonly host: Host;
  /** The pods, the most important first. */
  readonly pods: readonly Pod[];
  /** The number of pods that a PodDisruptionBudget protects. */
  readonly violations: number;
}

/** The outcome of preemption: the victims on one host, or the refusals of the hosts that were tried. */
type Preemption = { readonly victims: Victims } | { readonly refusals: ReadonlyMap<Host, Refusal> };

/** Chooses the host with the least important victims; if none can be freed, returns why the tried hosts refuse. */
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
    const result = findVictims(host, pod, snapshot, budgets);
    if ("pods" in result) candidates.push(result);
    else failed.set(host, result);
  }
  const [best] = candidates.toSorted(compareVictims);
  return best ? { victims: best } : { refusals: failed };
}

export function priorityOf({ spec }: Pod): number {
  return spec.priority ?? 0;
}

/** Finds the victims on a host: all pods of lower priority but those that fit again, the protected ones first. */
function findVictims(
  host: Host,
  pod: Pod,
  snapshot: Snapshot,
  budgets: readonly PodDisruptionBudget[],
): Victims | Refusal {
  const lower = host.pods.filter((other) => priorityOf(other) < priorityOf(pod)).toSorted(compareImportance);
  if (lower.length === 0) return lasting("No preemption victims found for incoming pod");
  const refusalWith = (pods: readonly Pod[]): Refusal | undefined => {
    const emptier = { ...host, pods };
    const hosts = snapshot.hosts.map((other) => (other === host ? emptier : other));
    return refusalOf(pod, emptier, { ...snapshot, hosts });
  };
  let staying = host.pods.filter((other) => !lower.includes(other));
  const refusal = refusalWith(staying);
  if (refusal) return refusal;
  const guarded = findProtected(budgets, lower);
  const victims: Pod[] = [];
  // The sort is stable: among protected pods, and among the others, the more important come first.
  for (const other of lower.toSorted((a, b) => Number(guarded.has(b)) - Number(guarded.has(a)))) {
    if (refusalWith([...staying, other])) victims.push(other);
    else staying = [...staying, other];
  }
  return {
    host,
    pods: victims.toSorted(compareImportance),
    violations: victims.filter((victim) => guarded.has(victim)).length,
  };
}

/** The pods whose loss, in this order, exceeds the allowed disruptions of their budgets. */
function findProtected(budgets: readonly PodDisruptionBudget[], pods: readonly Pod[]): Set<Pod> {
  const allowances = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const guarded = new Set<Pod>();
  for (const pod of pods) {
    for (const [budget, allowed] of allowances) {
      const { namespace, labels, name = "" } = pod.metadata;
      if (budget.metadata?.namespace !== namespace || !matchesLabelSelector(budget.spec?.selector, labels))
        continue;
      // This pod's eviction has been counted already.
      if (budget.status?.disruptedPods?.[name] !== undefined) continue;
      allowances.set(budget, allowed - 1);
      if (allowed <= 0) guarded.add(pod);
    }
  }
  return guarded;
}

function compareImportance(a: Pod, b: Pod): number {
  return priorityOf(b) - priorityOf(a) || startOf(a) - startOf(b);
}

/** The start of a pod; a pod that has not started is the least important. */
function startOf({ status }: Pod): number {
  return status?.startTime === undefined ? Infinity : Date.parse(status.startTime);
}

/** Prefers the fewest protected pods, the lowest priorities, the fewest pods, the youngest. */
function compareVictims(a: Victims, b: Victims): number {
  return (
    a.violations - b.violations ||
    priorityOf(a.pods[0]!) - priorityOf(b.pods[0]!) ||
    weightOf(a) - weightOf(b) ||
    a.pods.length - b.pods.length ||
    earliest(b) - earliest(a)
  );
}

/** The sum of priorities, shifted so that each pod adds to it even if its priority is negative. */
function weightOf({ pods }: Victims): number {
  return pods.reduce((sum, pod) => sum + priorityOf(pod) + 2 ** 31, 0);
}

/** The earliest start among the most important victims. */
function earliest({ pods }: Victims): number {
  const highest = pods.filter((pod) => priorityOf(pod) === priorityOf(pods[0]!));
  return Math.min(...highest.map(startOf));
}
