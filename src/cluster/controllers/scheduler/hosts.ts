import type { Node, Pod } from "../../control-loop/api/core.ts";
import { isFinished } from "../../control-loop/pods/pod-state.ts";
import type { Host } from "./host.ts";
import { priorityOf } from "./preemption.ts";

/**
 * The nodes with the pods that take room there: those that run or terminate, and those for which room is being made,
 * unless the pod to schedule is more important.
 */
export function hostsFor(pod: Pod, nodes: readonly Node[], pods: readonly Pod[]): Host[] {
  const byNode = new Map<string, Pod[]>(nodes.map(({ metadata }) => [metadata.name ?? "", []]));
  for (const other of pods) {
    const node = other.spec.nodeName || nominatedBefore(other, pod);
    if (node && !isFinished(other)) byNode.get(node)?.push(other);
  }
  return nodes.map((node) => ({ node, pods: byNode.get(node.metadata.name ?? "")! }));
}

function nominatedBefore(other: Pod, pod: Pod): string | undefined {
  const isAhead = other.metadata.uid !== pod.metadata.uid && priorityOf(other) >= priorityOf(pod);
  return isAhead ? other.status?.nominatedNodeName : undefined;
}
