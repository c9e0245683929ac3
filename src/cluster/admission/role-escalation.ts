import { isDeepStrictEqual } from "node:util";
import type { RoleBinding } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import type { AdmissionRequest } from "../registry/core.ts";
import { type Authorizer, type Rule, allRules, resourceAttributes } from "../contract/authorizer.ts";
import { coversPath } from "../auth/rbac.ts";
import { StatusError, forbidden, notFound } from "../contract/status-error.ts";
import type { ApiObject, Sent } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin } from "./admission.ts";

const group = "rbac.authorization.k8s.io";

/**
 * Users can grant only permissions that they hold, unless they may `escalate` the role or `bind` it. This is the last
 * mutating plugin, because its denial comes before validation errors.
 */
export function roleEscalation(store: Store, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "RoleEscalation",
    mutate(request) {
      const { resource, operation, object, oldObject, user } = request;
      if (resource.group !== group || !object || operation === "DELETE") return undefined;
      if (user.groups.includes("system:masters")) return undefined;
      // The garbage collector changes finalizers and owners without the role's permissions.
      if (oldObject && isDeepStrictEqual(withoutOwnership(object), withoutOwnership(oldObject)))
        return undefined;
      if (resource.plural.endsWith("roles")) checkRole(request, object, authorizer);
      else checkBinding(request, object, store, authorizer);
      return undefined;
    },
  };
}

/** The object without the metadata that the garbage collector changes. */
function withoutOwnership(object: ApiObject): object {
  const { finalizers: _f, ownerReferences: _o, managedFields: _m, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A role or a binding that is not validated yet: any field may be missing, and the rules may be null. */
interface SentRole extends ApiObject {
  readonly rules?: readonly Rule[] | null;
  readonly aggregationRule?: object;
}

function checkRole(request: AdmissionRequest, role: SentRole, authorizer: Authorizer): void {
  if (isAllowed(authorizer, request, "escalate", request.resource.plural, request.name)) return;
  const refuse = (reason: string): Error => forbidden(request.resource, role.metadata.name ?? "", reason);
  if (role.aggregationRule && findMissing(request, allRules, authorizer).length > 0)
    throw refuse("must have cluster-admin privileges to use the aggregationRule");
  const missing = findMissing(request, role.rules ?? [], authorizer);
  if (missing.length > 0) throw refuse(describeRefusal(request, missing));
}

type SentBinding = Sent<RoleBinding> & ApiObject;

function checkBinding(request: AdmissionRequest, binding: SentBinding, store: Store, authorizer: Authorizer) {
  const { resource, namespace } = request;
  const { kind = "", name = "" } = binding.roleRef ?? {};
  const plural = kind === "ClusterRole" ? "clusterroles" : "roles";
  if (isAllowed(authorizer, request, "bind", plural, name)) return;
  if (kind !== "Role" && kind !== "ClusterRole")
    throw new StatusError(500, undefined, `unsupported role reference kind: ${JSON.stringify(kind)}`);
  const key = kind === "ClusterRole" ? name : `${namespace}/${name}`;
  const role = store.collection(`${plural}.${group}`).get(key);
  if (!role) throw notFound(resource, name);
  const missing = findMissing(request, (role.object as SentRole).rules ?? [], authorizer);
  if (missing.length > 0)
    throw forbidden(resource, binding.metadata.name ?? "", describeRefusal(request, missing));
}

function isAllowed(
  authorizer: Authorizer,
  { user, namespace }: AdmissionRequest,
  verb: string,
  resource: string,
  name: string,
): boolean {
  const attributes = resourceAttributes({ verb, group, version: "*", resource, namespace, name });
  return authorizer.decide(user, attributes).allowed;
}

function findMissing({ user, namespace }: AdmissionRequest, rules: readonly Rule[], authorizer: Authorizer) {
  return missingRules(authorizer.rulesOf(user, namespace), rules);
}

function describeRefusal({ user }: AdmissionRequest, missing: readonly Rule[]): string {
  const groups = user.groups.map((name) => JSON.stringify(name)).join(" ");
  return `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}`;
}

/** The permissions of the wanted rules that no held rule covers. */
function missingRules(held: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  return wanted.flatMap(permissionsOf).filter((permission) => !held.some((rule) => covers(rule, permission)));
}

/** Lists permissions as the real server does: a line for each resource with all its verbs, sorted. */
function describeRules(permissions: readonly Rule[]): string {
  const merged = new Map<string, Rule>();
  for (const permission of permissions) {
    const { verbs, ...scope } = permission;
    const key = JSON.stringify(scope.nonResourceURLs ? permission : scope);
    merged.set(key, { ...scope, verbs: [...new Set([...(merged.get(key)?.verbs ?? []), ...verbs])] });
  }
  const lines = [...merged.values()].map((rule) => {
    const parts = [
      list("APIGroups", rule.apiGroups),
      list("Resources", rule.resources),
      list("NonResourceURLs", rule.nonResourceURLs),
      list("ResourceNames", rule.resourceNames),
      list("Verbs", rule.verbs),
    ];
    return `{${parts.filter((part) => part !== "").join(", ")}}`;
  });
  return [...new Set(lines)].toSorted().join("\n");
}

function list(name: string, values: readonly string[] = []): string {
  return values.length === 0 ? "" : `${name}:[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

/** Splits a rule into permissions: rules with one verb, one group and one resource, or one verb and one URL. */
function permissionsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Rule[] {
  const names = resourceNames?.length ? resourceNames.map((name) => [name]) : [undefined];
  return [
    ...(apiGroups ?? []).flatMap((group) =>
      (resources ?? []).flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((name) => ({
            apiGroups: [group],
            resources: [resource],
            verbs: [verb],
            ...(name && { resourceNames: name }),
          })),
        ),
      ),
    ),
    ...(nonResourceURLs ?? []).flatMap((url) =>
      verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })),
    ),
  ];
}

/** Returns true if a rule includes a permission of `permissionsOf()`. */
function covers(rule: Rule, permission: Rule): boolean {
  if (!includesAll(rule.verbs, permission.verbs)) return false;
  const [url] = permission.nonResourceURLs ?? [];
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((held) => coversPath(held, url));
  const names = rule.resourceNames ?? [];
  const hasNames =
    names.length === 0 || (permission.resourceNames?.some((name) => names.includes(name)) ?? false);
  return (
    hasNames &&
    includesAll(rule.apiGroups, permission.apiGroups) &&
    coversResource(rule.resources ?? [], permission.resources![0]!)
  );
}

function includesAll(held: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return held.includes("*") || wanted.every((entry) => held.includes(entry));
}

function coversResource(held: readonly string[], resource: string): boolean {
  const slash = resource.indexOf("/");
  return (
    held.includes("*") || held.includes(resource) || (slash > 0 && held.includes(`*${resource.slice(slash)}`))
  );
}
