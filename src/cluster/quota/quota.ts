import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ResourceList } from "./resource-list.ts";

interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A ResourceQuota. */
export interface ResourceQuota extends KubernetesObject {
  readonly spec?: {
    readonly hard?: ResourceList;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
  };
  readonly status?: { readonly hard?: ResourceList; readonly used?: ResourceList };
}

interface Affinity {
  readonly [term: string]: unknown;
}

interface ScopedPod extends KubernetesObject {
  readonly spec: {
    readonly activeDeadlineSeconds?: number;
    readonly priorityClassName?: string;
    readonly affinity?: { readonly podAffinity?: Affinity; readonly podAntiAffinity?: Affinity };
  };
  readonly status?: { readonly qosClass?: string };
}

/** Whether an object is in all scopes of a quota. Only pods are in any. */
export function isInScope({ spec }: ResourceQuota, plural: string, object: KubernetesObject): boolean {
  const scopes: readonly ScopeRequirement[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  return scopes.every((scope) => plural === "pods" && matchesScope(scope, object as ScopedPod));
}

function matchesScope(scope: ScopeRequirement, { spec, status }: ScopedPod): boolean {
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
      return [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].some(reachesOut);
    default:
      return false;
  }
}

function matchesClass({ operator, values = [] }: ScopeRequirement, name: string): boolean {
  if (operator === "Exists") return name !== "";
  if (operator === "DoesNotExist") return name === "";
  const isListed = name !== "" && values.includes(name);
  return operator === "In" ? isListed : !isListed;
}

/** Whether some term of an affinity, weighted or not, looks into other namespaces. */
function reachesOut(affinity: Affinity | undefined): boolean {
  const terms = Object.values(affinity ?? {}).flat() as {
    podAffinityTerm?: object;
    namespaces?: readonly string[];
    namespaceSelector?: object;
  }[];
  return terms.some((each) => {
    const term: (typeof terms)[number] = each.podAffinityTerm ?? each;
    return (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined;
  });
}
