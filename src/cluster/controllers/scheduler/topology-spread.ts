import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Stored } from "../../contract/stored.ts";
import type { Node, Pod } from "../../control-loop/api/core.ts";
import { fitsNode, repellingTaints } from "../../kinds/core/node/node-fit.ts";
import { type Host, lasting, passing, type Refusal, type Snapshot } from "./host.ts";

type Constraint = Stored<core.TopologySpreadConstraint>;

const reason = "node(s) didn't match pod topology spread constraints";

/** The constraints that forbid a node; those that only prefer another are not considered. */
export function refusedBySpread(pod: Pod, { node }: Host, { hosts }: Snapshot): Refusal | undefined {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  const hasAll = ({ metadata }: Node): boolean =>
    constraints.every(({ topologyKey }) => metadata.labels?.[topologyKey] !== undefined);
  for (const constraint of constraints) {
    const place = node.metadata.labels?.[constraint.topologyKey];
    if (place === undefined) return lasting(`${reason} (missing required label)`);
    const counted = hosts.filter((host) => hasAll(host.node) && counts(constraint, pod, host.node));
    if (skewAt(place, constraint, pod, counted) > constraint.maxSkew) return passing(reason);
  }
  return undefined;
}

/** How many more pods than the emptiest place this one would have. */
function skewAt(place: string, constraint: Constraint, pod: Pod, hosts: readonly Host[]): number {
  const { topologyKey, labelSelector, minDomains = 1 } = constraint;
  const isMeant = ({ metadata }: Pod): boolean =>
    metadata.namespace === pod.metadata.namespace &&
    metadata.deletionTimestamp === undefined &&
    matchesLabelSelector(labelSelector, metadata.labels);
  const numbers = new Map<string, number>();
  for (const { node, pods } of hosts) {
    const at = node.metadata.labels![topologyKey]!;
    numbers.set(at, (numbers.get(at) ?? 0) + pods.filter(isMeant).length);
  }
  const fewest = numbers.size < minDomains ? 0 : Math.min(...numbers.values());
  const self = matchesLabelSelector(labelSelector, pod.metadata.labels) ? 1 : 0;
  return (numbers.get(place) ?? 0) + self - fewest;
}

function counts(constraint: Constraint, { spec }: Pod, node: Node): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  return (
    (nodeAffinityPolicy === "Ignore" || fitsNode(spec, node)) &&
    (nodeTaintsPolicy === "Ignore" || repellingTaints(spec, node).length === 0)
  );
}
