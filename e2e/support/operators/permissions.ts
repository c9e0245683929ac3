import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import { parseRequest } from "../../../src/cluster/http/request-context.ts";
import type { PassedRequest } from "./api-gateway.ts";

/** The permissions of a role, one verb of one resource each, as "verb resource.group". */
export function permissionsOf(rules: readonly PolicyRule[]): string[] {
  return rules.flatMap(({ verbs, apiGroups = [], resources = [] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => named(verb, group, resource))),
    ),
  );
}

/** The rules without one permission. */
export function withoutPermission(rules: readonly PolicyRule[], permission: string): PolicyRule[] {
  const each = rules.flatMap(({ verbs, apiGroups = [], resources = [] }) =>
    apiGroups.flatMap((group) =>
      resources.map((resource) => ({
        apiGroups: [group],
        resources: [resource],
        verbs: verbs.filter((verb) => named(verb, group, resource) !== permission),
      })),
    ),
  );
  return each.filter(({ verbs }) => verbs.length > 0);
}

/** The permissions that a request needs. */
export function neededFor({ method, path, query, status }: PassedRequest): string[] {
  const { verb, group, resource, subresource } = parseRequest(method, path, query);
  const what = subresource ? `${resource}/${subresource}` : resource;
  // An apply that creates needs both; and where lists can't be streamed, each watch begins with a list.
  const more =
    verb === "patch" && (status === 201 || status === 403) ? ["create"] : verb === "watch" ? ["list"] : [];
  return [verb, ...more].map((one) => named(one, group, what));
}

function named(verb: string, group: string, resource: string): string {
  return `${verb} ${resource}${group ? `.${group}` : ""}`;
}
