import { quantityToInteger } from "@tsbuilder/apimachinery/quantity";
import type { Pod } from "../../control-loop/api/core.ts";
import { sumPodResources } from "../../quota/pod-resources.ts";
import type { ResourceList } from "../../quota/resource-list.ts";
import type { Host, Refusal } from "./host.ts";

/** Amounts in whole units, of processors in thousandths. */
type Amounts = Readonly<Record<string, number>>;

/** Says what a node lacks for a pod. What the node never had, no preemption brings. */
export function missingResources(pod: Pod, { node, pods }: Host): Refusal | undefined {
  const all = amountsOf(node.status?.allocatable ?? {});
  const missing: { reason: string; isLasting: boolean }[] = [];
  if (pods.length + 1 > (all["pods"] ?? 0)) missing.push({ reason: "Too many pods", isLasting: false });
  for (const [name, wanted] of Object.entries(requestsOf(pod))) {
    if (wanted === 0) continue;
    const has = all[name] ?? 0;
    const used = pods.reduce((sum, other) => sum + (requestsOf(other)[name] ?? 0), 0);
    if (wanted > has - used) missing.push({ reason: `Insufficient ${name}`, isLasting: wanted > has });
  }
  if (missing.length === 0) return undefined;
  return {
    reasons: missing.map(({ reason }) => reason),
    isLasting: missing.some(({ isLasting }) => isLasting),
  };
}

/** Every pod on a node is asked for each pod that is scheduled. */
const known = new WeakMap<Pod["spec"], Amounts>();

function requestsOf({ spec }: Pod): Amounts {
  let requests = known.get(spec);
  if (!requests) known.set(spec, (requests = amountsOf(sumPodResources(spec, "requests"))));
  return requests;
}

function amountsOf(list: ResourceList): Amounts {
  return Object.fromEntries(
    Object.entries(list).map(([name, amount]) => [
      name,
      Number(quantityToInteger(amount, { unit: name === "cpu" ? "m" : "" })),
    ]),
  );
}
