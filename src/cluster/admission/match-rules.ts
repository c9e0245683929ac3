import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import { notFound } from "../contract/status-error.ts";
import type { Store } from "../storage/store.ts";
import { isEmptySelector } from "../kinds/checks/meta-types.ts";
import type { AdmissionRequest } from "../registry/core.ts";
import type {
  MatchResources,
  NamedRuleWithOperations,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";

/** Finds the version in which a rule matches: the request's, or another served one unless the policy is `Exact`. */
export function matchVersion(
  rules: readonly NamedRuleWithOperations[],
  matchPolicy: MatchResources["matchPolicy"],
  request: AdmissionRequest,
): string | undefined {
  if (rules.some((rule) => matchesRule(rule, request, request.version))) return request.version;
  if (matchPolicy === "Exact") return undefined;
  return request.resource.versions
    .map(({ name }) => name)
    .find((name) => rules.some((rule) => matchesRule(rule, request, name)));
}

function matchesRule(rule: NamedRuleWithOperations, request: AdmissionRequest, version: string): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = "*" } = rule;
  const { resourceNames = [] } = rule;
  const { resource, name } = request;
  const resourceScope = resource.namespaced ? "Namespaced" : "Cluster";
  return (
    has(operations, request.operation) &&
    has(apiGroups, resource.group) &&
    has(apiVersions, version) &&
    (scope === "*" || scope === resourceScope) &&
    resources.some((pattern) => matchesResource(pattern, resource.plural, request.subresource)) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*\/status`, `*\/*`; a pattern without a slash matches no subresources. */
function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const [resource, sub] = pattern.split("/");
  if (resource !== "*" && resource !== plural) return false;
  return sub === undefined ? subresource === "" : sub === "*" || sub === subresource;
}

function has(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}

/**
 * Returns true if the selector matches the labels of the request's namespace. A write of a namespace is matched by its
 * new labels; other cluster-scoped objects always match. Throws NotFound for a namespace that does not exist.
 */
export function matchesNamespace(
  selector: LabelSelector | undefined,
  { resource, operation, subresource, object, namespace, name }: AdmissionRequest,
  store: Store,
): boolean {
  const isNamespace = resource.group === "" && resource.plural === "namespaces";
  if (!selector || isEmptySelector(selector) || (!resource.namespaced && !isNamespace)) return true;
  if (isNamespace && subresource === "" && (operation === "CREATE" || operation === "UPDATE")) {
    return matchesLabelSelector(selector, object?.metadata.labels ?? {});
  }
  const namespaceName = isNamespace ? name : namespace;
  const stored = store.collection("namespaces").get(namespaceName);
  if (!stored) throw notFound({ group: "", plural: "namespaces", kind: "Namespace" }, namespaceName);
  return matchesLabelSelector(selector, stored.object.metadata.labels ?? {});
}

/** Returns true if the selector matches the new object or the old one. */
export function matchesObject(
  selector: LabelSelector | undefined,
  { object, oldObject }: AdmissionRequest,
): boolean {
  if (!selector || isEmptySelector(selector)) return true;
  const objects = [object, oldObject].filter((each) => each !== undefined);
  return objects.some(({ metadata }) => matchesLabelSelector(selector, metadata.labels ?? {}));
}
