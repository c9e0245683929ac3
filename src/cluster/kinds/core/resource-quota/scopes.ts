import type {
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import { invalid, required } from "@tsbuilder/apimachinery/errors";
import type { Sent } from "../../../contract/sent.ts";
import type { Problems } from "../../checks/problems.ts";
import { isCountedByQuota } from "../resource-names.ts";

type Spec = Sent<ResourceQuotaSpec>;

const podAmounts = [
  "pods",
  ...["cpu", "memory"].flatMap((name) => [name, `limits.${name}`, `requests.${name}`]),
];

/** The scopes, and the resources that a quota with each of them can limit. */
const resourcesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["BestEffort", ["pods"]],
  ["CrossNamespacePodAffinity", podAmounts],
  ["NotBestEffort", podAmounts],
  ["NotTerminating", podAmounts],
  ["PriorityClass", podAmounts],
  ["Terminating", podAmounts],
  ["VolumeAttributesClass", ["persistentvolumeclaims", "requests.storage"]],
]);

const exclusive = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

/** The number of resources of a quota that do not go with a scope. */
function misplaced(scope: string, { hard = {} }: Spec): string[] {
  const fitting = resourcesOf.get(scope);
  return Object.keys(hard).filter((name) => fitting && isCountedByQuota(name) && !fitting.includes(name));
}

function hasConflict(scopes: readonly string[]): number {
  return exclusive.filter((pair) => pair.every((scope) => scopes.includes(scope))).length;
}

/** Validates the scopes of a quota. */
export function* scopeProblems(field: string, spec: Spec): Problems {
  const { scopes = [] } = spec;
  for (const scope of scopes) {
    if (!resourcesOf.has(scope)) yield invalid(field, scopes, "unsupported scope");
    for (const _ of misplaced(scope, spec))
      yield invalid(field, scopes, "unsupported scope applied to resource");
  }
  for (let count = hasConflict(scopes); count > 0; count--)
    yield invalid(field, scopes, "conflicting scopes");
}

/** Validates the selector of scopes. The server names no item in its errors. */
export function* selectorOfScopes(field: string, spec: Spec): Problems {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  for (const requirement of requirements) yield* requirementProblems(field, requirement, spec);
  const scopes = requirements.map(({ scopeName = "" }) => scopeName);
  for (let count = hasConflict(scopes); count > 0; count--) {
    yield invalid(field, spec.scopes ?? null, "conflicting scopes");
  }
}

function* requirementProblems(
  field: string,
  { scopeName = "", operator = "", values = [] }: Sent<ScopedResourceSelectorRequirement>,
  spec: Spec,
): Problems {
  if (!resourcesOf.has(scopeName)) yield invalid(`${field}.scopeName`, scopeName, "unsupported scope");
  for (const _ of misplaced(scopeName, spec)) {
    yield invalid(field, spec.scopeSelector, "unsupported scope applied to resource");
  }
  const takesValues = ["PriorityClass", "VolumeAttributesClass"].includes(scopeName);
  if (resourcesOf.has(scopeName) && !takesValues && operator !== "Exists") {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    yield invalid(`${field}.operator`, operator, detail);
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length > 0) return;
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    yield required(`${field}.values`, detail);
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length === 0) return;
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    yield invalid(`${field}.values`, values, detail);
  } else yield invalid(`${field}.operator`, operator, "not a valid selector operator");
}
