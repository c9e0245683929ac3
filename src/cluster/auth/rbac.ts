// Authorization and credentials. This file authorizes by roles and bindings; `credentials.ts` has the certificates and
// static tokens of a cluster, and the kubeconfigs with them, `service-account-tokens.ts` the tokens of service accounts.

import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ClusterRole, Role, RoleBinding, Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import { matchesRequirements, toRequirements } from "@tsbuilder/apimachinery/selector";
import type { User } from "../contract/user.ts";
import type { Collection } from "../storage/collection.ts";
import type { Store } from "../storage/store.ts";
import type { Attributes, Authorizer, Decision, Rule } from "../contract/authorizer.ts";
import { isValidSelector } from "../kinds/checks/meta-types.ts";

/** Authorizes by the roles and bindings that are in the store at the time of the request. */
export class RBAC implements Authorizer {
  readonly #roles: Collection;
  readonly #clusterRoles: Collection;
  readonly #bindings: Collection;
  readonly #clusterBindings: Collection;

  constructor(store: Store) {
    const group = "rbac.authorization.k8s.io";
    this.#roles = store.collection(`roles.${group}`);
    this.#clusterRoles = store.collection(`clusterroles.${group}`);
    this.#bindings = store.collection(`rolebindings.${group}`);
    this.#clusterBindings = store.collection(`clusterrolebindings.${group}`);
  }

  decide(user: User, attributes: Attributes): Decision {
    // As on a real server, this group bypasses authorization.
    if (user.groups.includes("system:masters")) return { allowed: true, reason: "" };
    for (const { binding, rules } of this.#findGrants(user, attributes.namespace)) {
      if (rules.some((rule) => covers(rule, attributes)))
        return { allowed: true, reason: reasonFor(binding, user) };
    }
    return { allowed: false, reason: "" };
  }

  rulesOf(user: User, namespace: string): Rule[] {
    return [...this.#findGrants(user, namespace)].flatMap(({ rules }) => rules);
  }

  /** Finds the bindings of a user that apply in a namespace, with the rules of their roles. */
  *#findGrants(user: User, namespace: string): Generator<{ binding: RoleBinding; rules: readonly Rule[] }> {
    const cluster = this.#clusterBindings.list();
    const local = namespace === "" ? [] : this.#bindings.list(`${namespace}/`);
    for (const { object } of [...cluster, ...local]) {
      const binding = object as unknown as RoleBinding;
      if (!binding.subjects?.some((subject) => matchesSubject(subject, user, binding.metadata.namespace)))
        continue;
      const { kind, name } = binding.roleRef;
      const role =
        kind === "ClusterRole"
          ? this.#clusterRoles.get(name)
          : this.#roles.get(`${binding.metadata.namespace}/${name}`);
      const { rules } = (role?.object ?? {}) as Partial<Role>;
      if (rules) yield { binding, rules };
    }
  }
}

function matchesSubject({ kind, name, namespace }: Subject, user: User, bindingNamespace = ""): boolean {
  if (kind === "User") return user.name === name;
  if (kind === "Group") return user.groups.includes(name);
  return user.name === `system:serviceaccount:${namespace || bindingNamespace}:${name}`;
}

/** Returns true if a rule allows a request. */
export function covers(rule: Rule, attributes: Attributes): boolean {
  const { verb, isResource, path, group, resource, subresource, name } = attributes;
  if (!includes(rule.verbs, verb)) return false;
  if (!isResource) return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, path));
  const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
  const resources = rule.resources ?? [];
  const hasResource =
    includes(resources, wanted) || (subresource !== "" && resources.includes(`*/${subresource}`));
  if (!hasResource || !includes(rule.apiGroups ?? [], group)) return false;
  return !rule.resourceNames?.length || (name !== "" && rule.resourceNames.includes(name));
}

function includes(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}

/** Returns true if a path of a rule, which may end with `*`, includes another path. */
export function coversPath(rulePath: string, path: string): boolean {
  return rulePath === path || (rulePath.endsWith("*") && path.startsWith(rulePath.slice(0, -1)));
}

/** The reason of an allowed request, as SubjectAccessReviews of the real server show it. */
function reasonFor(binding: RoleBinding, user: User): string {
  const { kind, name, namespace } = { ...binding.metadata, kind: binding.kind };
  const subject = binding.subjects!.find((candidate) => matchesSubject(candidate, user, namespace))!;
  const who =
    subject.kind === "ServiceAccount"
      ? `ServiceAccount "${subject.name}/${subject.namespace || namespace}"`
      : `${subject.kind} ${JSON.stringify(subject.name)}`;
  const what = namespace ? `${name}/${namespace}` : name;
  const { roleRef } = binding;
  return `RBAC: allowed by ${kind} ${JSON.stringify(what)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${who}`;
}

/** Keeps aggregated cluster roles equal to the union of the roles that they select. Returns a function to stop. */
export function aggregateRoles(store: Store): () => void {
  const roles = store.collection("clusterroles.rbac.authorization.k8s.io");
  const aggregate = () => {
    for (const { key, object } of roles.list()) {
      const role = object as ClusterRole;
      const selectors = role.aggregationRule?.clusterRoleSelectors;
      // A data folder of an older version may hold a role that is invalid today: its rules stay as they are.
      if (!selectors?.every(isValidSelector)) continue;
      const alternatives = selectors.map(toRequirements);
      const rules = roles.list().flatMap((other) => {
        const labels = other.object.metadata.labels ?? {};
        const isSelected =
          other.key !== key && alternatives.some((requirements) => matchesRequirements(requirements, labels));
        return isSelected ? ((other.object as ClusterRole).rules ?? []) : [];
      });
      const unique = [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
      if (isEqual(unique, role.rules ?? [])) continue;
      store.put(roles, key, { ...role, rules: unique });
    }
  };
  aggregate();
  return roles.listen(aggregate);
}
