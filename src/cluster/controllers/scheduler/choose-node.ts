import type { Node, Pod } from "../api/core.ts";
import { matchesLabels } from "../matches-labels.ts";

/** Where a pod goes, or why it goes nowhere. */
export type Placement = { readonly node: string } | { readonly reason: string };

/**
 * Chooses the node with the fewest pods of those that a pod may run on. Looked at are readiness, the node
 * selector, names in node affinity, and taints; resources, spreading and affinity between pods are not.
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

/** Tells whether a pod may run on a node. */
export function mayRunOn(pod: Pod, node: Node): boolean {
  const ready = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  return (
    ready === true &&
    !node.spec?.unschedulable &&
    matchesLabels(pod.spec.nodeSelector ?? {}, node.metadata.labels) &&
    wantedNodes(pod)?.includes(nameOf(node)) !== false &&
    toleratesTaints(pod, node)
  );
}

/** Tells whether a pod puts up with what keeps others off a node. */
function toleratesTaints(pod: Pod, node: Node): boolean {
  const repelling = (node.spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  return repelling.every((taint) =>
    (pod.spec.tolerations ?? []).some(
      ({ key, operator, value, effect }) =>
        (key === undefined || key === taint.key) &&
        (effect === undefined || effect === taint.effect) &&
        (operator === "Exists" || (value ?? "") === (taint.value ?? "")),
    ),
  );
}

interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: {
    nodeSelectorTerms?: { matchFields?: { key: string; values?: string[] }[] }[];
  };
}

/** The nodes that an affinity names: this is how a DaemonSet says where a pod of its belongs. */
function wantedNodes({ spec }: Pod): string[] | undefined {
  const affinity = spec.affinity?.["nodeAffinity"] as NodeAffinity | undefined;
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const names = terms?.flatMap(({ matchFields }) =>
    (matchFields ?? []).filter(({ key }) => key === "metadata.name").flatMap(({ values }) => values ?? []),
  );
  return names && names.length > 0 ? names : undefined;
}

function nameOf({ metadata }: Node): string {
  return metadata.name ?? "";
}
