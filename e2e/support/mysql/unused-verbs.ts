import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import { parseRequest } from "../../../src/cluster/http/request-info.ts";
import type { PassedRequest } from "../api-gateway.ts";

/** The permissions of a role that none of an operator's requests needed, as "verb resource.group". */
export function unusedVerbs(rules: readonly PolicyRule[], requests: readonly PassedRequest[]): string[] {
  const used = new Set(
    requests.flatMap(({ method, path, query, status }) => {
      const { verb, group, resource, subresource } = parseRequest(method, path, query);
      // An apply that creates needs both; and where lists can't be streamed, each watch begins with a list.
      const more = verb === "patch" && status === 201 ? ["create"] : verb === "watch" ? ["list"] : [];
      const what = subresource ? `${resource}/${subresource}` : resource;
      return [verb, ...more].map((one) => named(one, group, what));
    }),
  );
  return rules
    .flatMap(({ verbs, apiGroups = [], resources = [] }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => named(verb, group, resource))),
      ),
    )
    .filter((permission) => !used.has(permission));
}

function named(verb: string, group: string, resource: string): string {
  return `${verb} ${resource}${group ? `.${group}` : ""}`;
}
