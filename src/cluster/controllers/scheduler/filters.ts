import type { Node, Pod } from "../../control-loop/api/core.ts";
import { fitsNode, repellingTaints } from "../../kinds/core/node/node-fit.ts";
import { type Filter, type Host, lasting, passing, type Refusal, type Snapshot } from "./host.ts";
import { portsConflict } from "./host-ports.ts";
import { missingResources } from "./node-resources.ts";
import { refusedByAffinity } from "./pod-affinity.ts";
import { refusedBySpread } from "./topology-spread.ts";

const cordon = "node.kubernetes.io/unschedulable";

/** In the order in which the real scheduler asks them: the first that refuses gives the reasons. */
const filters: readonly Filter[] = [
  (pod, { node }) => (isCordonedFor(pod, node) ? lasting("node(s) were unschedulable") : undefined),
  (pod, { node }) => (repels(node, pod) ? lasting("node(s) had untolerated taint(s)") : undefined),
  ({ spec }, { node }) =>
    fitsNode(spec, node) ? undefined : lasting("node(s) didn't match Pod's node affinity/selector"),
  (pod, { pods }) =>
    portsConflict(pod, pods)
      ? passing("node(s) didn't have free ports for the requested pod ports")
      : undefined,
  missingResources,
  refusedBySpread,
  refusedByAffinity,
];

/** Why a pod may not run on a node; undefined if it may. */
export function refusalOf(pod: Pod, host: Host, snapshot: Snapshot): Refusal | undefined {
  for (const filter of filters) {
    const refusal = filter(pod, host, snapshot);
    if (refusal) return refusal;
  }
  return undefined;
}

function isCordonedFor({ spec }: Pod, node: Node): boolean {
  return repellingTaints(spec, node).some(({ key }) => key === cordon) && node.spec?.unschedulable === true;
}

/** A node that is not ready repels like one with the taint that a real control plane gives it. */
function repels(node: Node, { spec }: Pod): boolean {
  const ready = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;
  const taints = [...(node.spec?.taints ?? []), ...(ready ? [] : [notReady])];
  return repellingTaints(spec, { ...node, spec: { ...node.spec, taints } }).length > 0;
}
