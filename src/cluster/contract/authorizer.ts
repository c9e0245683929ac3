import type { PolicyRule } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import type { User } from "./user.ts";
import { StatusError, forbidden } from "./status-error.ts";

/** The attributes of a request, as authorizers and access reviews see it. Fields that don't apply are empty. */
export interface Attributes {
  /** `get`, `list`, `watch`, `create` …, or the lower-case HTTP method of a path that names no resource. */
  readonly verb: string;
  /** False for discovery, health and other paths that name no resource. */
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  /** The field selector of a list, watch or deletecollection. */
  readonly fieldSelector: string;
}

type PartialAttributes = { readonly verb: string } & {
  readonly [Name in keyof Omit<Attributes, "isResource">]?: string | undefined;
};

/** Completes the attributes of a request for a resource. */
export function resourceAttributes({
  verb,
  group = "",
  version = "",
  resource = "",
  subresource = "",
  namespace = "",
  name = "",
  path = "",
  fieldSelector = "",
}: PartialAttributes): Attributes {
  const place = { group, version, resource, subresource, namespace, name };
  return { verb, isResource: true, ...place, path, fieldSelector };
}

/** The attributes of a request for a path that names no resource. */
export function pathAttributes(verb: string, path: string): Attributes {
  return { ...resourceAttributes({ verb, path }), isResource: false };
}

/** A decision with its reason, which access reviews show; it may be empty. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** A rule of a role or a SelfSubjectRulesReview. Read-only, because the rules of stored roles are shared. */
export type Rule = { readonly [Field in keyof PolicyRule]: Readonly<PolicyRule[Field]> };

/** Decides about requests, and lists the rules by which it does. */
export interface Authorizer {
  decide(user: User, attributes: Attributes): Decision;
  /** All rules that apply to a user in a namespace. */
  rulesOf(user: User, namespace: string): Rule[];
}

/** Allows what one of several authorizers allows. A denial has the reasons of all. */
export function anyOf(authorizers: readonly Authorizer[]): Authorizer {
  return {
    decide(user, attributes) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = authorizer.decide(user, attributes);
        if (decision.allowed) return decision;
        if (decision.reason !== "") reasons.push(decision.reason);
      }
      return { allowed: false, reason: reasons.join("\n") };
    },
    rulesOf: (user, namespace) => authorizers.flatMap((authorizer) => authorizer.rulesOf(user, namespace)),
  };
}

/** The rules of cluster-admin. */
export const allRules: readonly Rule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Allows every request. */
export const alwaysAllow: Authorizer = {
  decide: () => ({ allowed: true, reason: "" }),
  rulesOf: () => [...allRules],
};

/** The Forbidden error, with the real server's message. */
export function denied(user: User, attributes: Attributes, reason = ""): StatusError {
  const { isResource, group, resource, name } = attributes;
  const why = reason === "" ? "" : `: ${reason}`;
  if (!isResource) {
    const message = `forbidden: User ${JSON.stringify(user.name)} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}${why}`;
    return new StatusError(403, "Forbidden", message, {});
  }
  const subject = { group, plural: resource, kind: "" };
  return forbidden(subject, name, `${describeDenial(user, attributes)}${why}`);
}

function describeDenial(user: User, { verb, group, resource, subresource, namespace }: Attributes): string {
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
