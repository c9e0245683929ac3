import type {
  Pod,
  PodAffinity,
  PodAntiAffinity,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Stored } from "../contract/stored.ts";

/** Whether an object is in all scopes of a quota. Only pods can be. */
export function isInScope({ spec }: ResourceQuota, plural: string, object: KubernetesObject): boolean {
  const scopes: ScopedResourceSelectorRequirement[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" as const })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  return scopes.every((scope) => plural === "pods" && matchesScope(scope, object as Stored<Pod>));
}

function matchesScope(scope: ScopedResourceSelectorRequirement, { spec, status }: Stored<Pod>): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return status?.qosClass === "BestEffort";
    case "NotBestEffort":
      return status?.qosClass !== "BestEffort";
    case "PriorityClass":
      return matchesClass(scope, spec.priorityClassName ?? "");
    case "CrossNamespacePodAffinity":
      return [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].some(isCrossNamespace);
    default:
      return false;
  }
}

function matchesClass({ operator, values = [] }: ScopedResourceSelectorRequirement, name: string): boolean {
  if (operator === "Exists") return name !== "";
  if (operator === "DoesNotExist") return name === "";
  const isListed = name !== "" && values.includes(name);
  return operator === "In" ? isListed : !isListed;
}

/** Whether an affinity, required or preferred, selects pods of other namespaces. */
function isCrossNamespace(affinity: PodAffinity | PodAntiAffinity | undefined): boolean {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = [...required, ...preferred.map(({ podAffinityTerm }) => podAffinityTerm)];
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
}
