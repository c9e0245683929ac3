import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Store } from "../storage/store.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { WebhookDefinition, WebhookRule } from "./webhook-configuration.ts";

/**
 * Finds out whether a webhook is to be called, and in which version it wants the object. With the policy
 * `Equivalent` a rule for any version of the resource counts.
 */
export function matchWebhook(
  webhook: WebhookDefinition,
  request: AdmissionRequest,
  store: Store,
): { readonly version: string } | undefined {
  const version = matchVersion(webhook, request);
  if (version === undefined) return undefined;
  if (!matchesNamespace(webhook, request, store) || !matchesObject(webhook, request)) return undefined;
  return { version };
}

function matchVersion(
  { rules = [], matchPolicy = "Equivalent" }: WebhookDefinition,
  request: AdmissionRequest,
): string | undefined {
  if (rules.some((rule) => matchesRule(rule, request, request.version))) return request.version;
  if (matchPolicy === "Exact") return undefined;
  return request.resource.versions
    .map(({ name }) => name)
    .find((name) => rules.some((rule) => matchesRule(rule, request, name)));
}

function matchesRule(rule: WebhookRule, request: AdmissionRequest, version: string): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = "*" } = rule;
  const { resource } = request;
  const own = resource.namespaced ? "Namespaced" : "Cluster";
  return (
    has(operations, request.operation) &&
    has(apiGroups, resource.group) &&
    has(apiVersions, version) &&
    (scope === "*" || scope === own) &&
    resources.some((pattern) => matchesResource(pattern, resource.plural, request.subresource))
  );
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*\/status`, `*\/*`; without a slash no subresource is meant. */
function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const [resource, sub] = pattern.split("/");
  if (resource !== "*" && resource !== plural) return false;
  return sub === undefined ? subresource === "" : sub === "*" || sub === subresource;
}

function has(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}

function matchesNamespace(
  { namespaceSelector = {} }: WebhookDefinition,
  request: AdmissionRequest,
  store: Store,
): boolean {
  const { resource, object, oldObject, namespace } = request;
  if (resource.group === "" && resource.plural === "namespaces") {
    return matchesLabelSelector(namespaceSelector, (object ?? oldObject)?.metadata.labels ?? {});
  }
  if (!resource.namespaced) return true;
  const stored = store.collection("namespaces").get(namespace);
  return matchesLabelSelector(namespaceSelector, stored?.object.metadata.labels ?? {});
}

function matchesObject(
  { objectSelector = {} }: WebhookDefinition,
  { object, oldObject }: AdmissionRequest,
): boolean {
  const objects = [object, oldObject].filter((each) => each !== undefined);
  return objects.some(({ metadata }) => matchesLabelSelector(objectSelector, metadata.labels ?? {}));
}
