import type { Node, Pod } from "../../control-loop/api/core.ts";
import { fitsNode, repellingTaints } from "../../kinds/core/node/node-fit.ts";

/** The node for a pod, or why there is none. */
export type Placement = { readonly node: string } | { readonly reason: string };

/**
 * Chooses the node with the fewest pods among those that a pod may run on. Readiness, the node selector,
 * required node affinity and taints are considered; resources, topology spread and pod affinity are not.
 */
export function chooseNode(
  pod: Pod,
  nodes: readonly Node[],
  podsOnNode: (name: string) => number,
): Placement {
  const fitting = nodes.filter((node) => mayRunOn(pod, node));
  const [best] = [...fitting].sort(
    (a, b) => podsOnNode(nameOf(a)) - podsOnNode(nameOf(b)) || (nameOf(a) < nameOf(b) ? -1 : 1),
  );
  if (best) return { node: nameOf(best) };
  return { reason: `0/${nodes.length} nodes are available: none fits the pod.` };
}

/** Returns whether a pod may run on a node. A cordon counts as a taint, which a pod may tolerate. */
function mayRunOn({ spec }: Pod, node: Node): boolean {
  const ready = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  return ready === true && fitsNode(spec, node) && repellingTaints(spec, node).length === 0;
}

function nameOf({ metadata }: Node): string {
  return metadata.name ?? "";
}
