import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { canonicalizeQuantity, compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { invalid, required } from "@tsbuilder/apimachinery/errors";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { CellReader } from "../../registry/resource.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField } from "../cells.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { Problems } from "../checks/problems.ts";
import { quantityProblems, isCountedByQuota, resourceNameProblems } from "./resources.ts";
import { isInScope, namesFor, usageOf } from "../../quota/usage.ts";
import { type ResourceList, addLists, isSameList } from "../../quota/resource-list.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import type { ObjectEvent, ResourceName, ServedResource } from "../../contract/cluster-objects.ts";

export const resourceQuota: BuiltInKind<"resourcequota"> = {
  resource: "resourcequotas",
  strategy: {
    statusWritesMetadata: true,
    returnsDeleted: true,
    validate: (object) => [...specProblems(object)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...statusProblems(object)]
        : [...specProblems(object), ...scopeChanges(object, old)],
    warnings: (object, old) => (old ? [] : [...quotaWarnings(object)]),
  },
  cells: { Request: usageCell(false), Limit: usageCell(true) },
  controllers: { resourcequota: resourceQuotaController },
};

type Quota = Sent<core.ResourceQuota>;

function* quotaWarnings(object: ApiObject): Generator<string> {
  const hard = (object as Quota).spec?.hard ?? {};
  for (const name of ["cpu", "memory", "storage", "ephemeral-storage"]) {
    const mayBeBare = name === "cpu" || name === "memory";
    const requests = hard[`requests.${name}`] === undefined && mayBeBare ? name : `requests.${name}`;
    const limits = `limits.${name}`;
    const [request, limit] = [hard[requests], hard[limits]];
    if (request === undefined || limit === undefined || compareQuantities(request, limit) <= 0) continue;
    const shown = [request, limit].map(canonicalizeQuantity);
    yield `ResourceQuota ${requests} (${shown[0]}) should be less than ${limits} (${shown[1]})`;
  }
}

function* specProblems(object: ApiObject): Problems {
  const { spec = {} } = object as Quota;
  yield* quantitiesProblems("spec.hard", spec.hard);
  yield* scopeProblems("spec.scopes", spec);
  yield* scopeSelectorProblems("spec.scopeSelector.matchExpressions", spec);
}

const podResources = [
  "pods",
  ...["cpu", "memory"].flatMap((name) => [name, `limits.${name}`, `requests.${name}`]),
];

/** The scopes, and the resources that a quota with each of them can limit. */
const resourcesByScope: ReadonlyMap<string, readonly string[]> = new Map([
  ["BestEffort", ["pods"]],
  ["CrossNamespacePodAffinity", podResources],
  ["NotBestEffort", podResources],
  ["NotTerminating", podResources],
  ["PriorityClass", podResources],
  ["Terminating", podResources],
  ["VolumeAttributesClass", ["persistentvolumeclaims", "requests.storage"]],
]);

type Spec = Sent<core.ResourceQuotaSpec>;

function* scopeProblems(field: string, spec: Spec): Problems {
  const { scopes = [] } = spec;
  for (const scope of scopes) {
    if (!resourcesByScope.has(scope)) yield invalid(field, scopes, "unsupported scope");
    for (const _ of unfittingResources(scope, spec))
      yield invalid(field, scopes, "unsupported scope applied to resource");
  }
  yield* conflicts(field, scopes, scopes);
}

/** Returns the resources of a quota that do not go with a scope; the server reports the scope once for each. */
function unfittingResources(scope: string, { hard = {} }: Spec): string[] {
  const fitting = resourcesByScope.get(scope);
  return Object.keys(hard).filter((name) => fitting && isCountedByQuota(name) && !fitting.includes(name));
}

const exclusiveScopes = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

function* conflicts(field: string, scopes: readonly string[], shown: readonly string[] | null): Problems {
  for (const pair of exclusiveScopes) {
    if (pair.every((scope) => scopes.includes(scope))) yield invalid(field, shown, "conflicting scopes");
  }
}

/** Validates the selector of scopes. The server names no item in its errors. */
function* scopeSelectorProblems(field: string, spec: Spec): Problems {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  for (const requirement of requirements) yield* requirementProblems(field, requirement, spec);
  const scopes = requirements.map(({ scopeName = "" }) => scopeName);
  yield* conflicts(field, scopes, spec.scopes ?? null);
}

function* requirementProblems(
  field: string,
  { scopeName = "", operator = "", values = [] }: Sent<core.ScopedResourceSelectorRequirement>,
  spec: Spec,
): Problems {
  if (!resourcesByScope.has(scopeName)) yield invalid(`${field}.scopeName`, scopeName, "unsupported scope");
  for (const _ of unfittingResources(scopeName, spec))
    yield invalid(field, spec.scopeSelector, "unsupported scope applied to resource");
  const takesValues = ["PriorityClass", "VolumeAttributesClass"].includes(scopeName);
  if (resourcesByScope.has(scopeName) && !takesValues && operator !== "Exists") {
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

function* statusProblems(object: ApiObject): Problems {
  const { status = {} } = object as Quota;
  yield* quantitiesProblems("status.hard", status.hard);
  yield* quantitiesProblems("status.used", status.used);
}

function* quantitiesProblems(field: string, list: Sent<core.ResourceQuotaSpec>["hard"] = {}): Problems {
  for (const [name, quantity] of Object.entries(list)) {
    const at = `${field}[${name}]`;
    yield* resourceNameProblems(at, name);
    if (!name.includes("/") && !isCountedByQuota(name))
      yield invalid(at, name, "must be a standard resource for quota");
    yield* quantityProblems(at, name, quantity);
  }
}

function* scopeChanges(object: ApiObject, old: ApiObject): Problems {
  const [now = [], before = []] = [object as Quota, old as Quota].map(({ spec }) => spec?.scopes);
  const isSame = now.every((scope) => before.includes(scope)) && before.every((scope) => now.includes(scope));
  if (!isSame) yield invalid("spec.scopes", (object as Quota).spec?.scopes, "field is immutable");
}

const user = userOf("resourcequota");
const quotas: ResourceName<core.ResourceQuota> = "resourcequotas";

/** Usage is recounted after so many milliseconds, which releases the charges for objects that were not created. */
const recountMilliseconds = 300_000;

/** Writes the limits and the usage into the status of each ResourceQuota, which admission enforces. */
function resourceQuotaController({ objects, clock }: ControllerContext): Controller {
  return {
    keysOf(event) {
      if (event.resource === quotas) return isAdmissionUpdate(event) ? [] : [keyOf(event.object)];
      return mayReleaseUsage(event) ? objects.list(quotas, event.object.metadata.namespace).map(keyOf) : [];
    },

    async reconcile(key) {
      const quota = findByKey(objects, quotas, key);
      if (!quota || quota.metadata.deletionTimestamp) return undefined;
      const hard = quota.spec?.hard ?? {};
      const used = countAll(quota, Object.keys(hard));
      const { status } = quota;
      const isSame = isSameList(hard, status?.hard ?? {}) && isSameList(used, status?.used ?? {});
      if (!isSame || !status?.hard)
        await objects.update(user, { ...quota, status: { hard, used } }, "status");
      return recountMilliseconds;
    },
  };

  function countAll(quota: core.ResourceQuota, names: readonly string[]): ResourceList {
    let used: ResourceList = {};
    for (const served of objects.resources()) {
      const counted = resourceOf(served);
      const quotaNames = served.namespaced ? namesFor(counted, names) : [];
      if (quotaNames.length === 0) continue;
      used = addLists(Object.fromEntries(quotaNames.map((name) => [name, "0"])), used);
      for (const object of objects.list(served.resource, quota.metadata.namespace)) {
        if (isInScope(quota, counted.plural, object))
          used = addLists(used, usage(counted, object, quotaNames));
      }
    }
    return used;
  }

  function usage(
    counted: { group: string; plural: string },
    object: KubernetesObject,
    names: readonly string[],
  ): ResourceList {
    const all = usageOf(counted, object, clock.now());
    return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
  }
}

/** Admission also updates `used`, before the object exists: a count at that moment would miss it. */
function isAdmissionUpdate({ type, object }: ObjectEvent): boolean {
  const { spec, status } = object as core.ResourceQuota;
  return type === "MODIFIED" && isSameList(spec?.hard ?? {}, status?.hard ?? {});
}

/** New objects were charged on admission; deleted objects and finished pods release their usage. */
function mayReleaseUsage({ type, resource, object }: ObjectEvent): boolean {
  if (object.metadata.namespace === undefined) return false;
  const changes = ["pods", "services", "persistentvolumeclaims"];
  return type === "DELETED" || (type === "MODIFIED" && changes.includes(resource));
}

function resourceOf({ resource }: ServedResource): { group: string; plural: string } {
  const [plural = "", ...group] = resource.split(".");
  return { plural, group: group.join(".") };
}

/** Used and hard amounts: `pods: 1/3`. */
function usageCell(limits: boolean): CellReader {
  return (object) => {
    const hard = readField<Record<string, string>>(object, "status.hard") ?? {};
    const used = readField<Record<string, string>>(object, "status.used") ?? {};
    return Object.keys(hard)
      .filter((name) => name.startsWith("limits.") === limits)
      .toSorted()
      .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
      .join(", ");
  };
}
