import { type Requirement, matchesRequirements } from "@tsbuilder/apimachinery/selector";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Stored } from "../../../contract/api-object.ts";
import type { Node, Pod } from "../../../control-loop/api/core.ts";
import { matchesLabels } from "../../../control-loop/matches-labels.ts";

type PodSpec = Pod["spec"];

/** Returns whether a node matches a pod's node selector and required node affinity. */
export function fitsNode({ nodeSelector = {}, affinity }: PodSpec, node: Node): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    matchesLabels(nodeSelector, node.metadata.labels) &&
    (terms === undefined || terms.some((term) => matchesTerm(term, node)))
  );
}

/** A term without requirements matches nothing. Fields are matched as labels are; the only field is `metadata.name`. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: Stored<core.NodeSelectorTerm>,
  { metadata }: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchesRequirements(matchExpressions.map(toRequirement), metadata.labels) &&
    matchesRequirements(matchFields.map(toRequirement), { "metadata.name": metadata.name! })
  );
}

const requirementOperators = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
} as const;

function toRequirement({ key, operator, values = [] }: core.NodeSelectorRequirement): Requirement {
  return { key, operator: requirementOperators[operator], values };
}
