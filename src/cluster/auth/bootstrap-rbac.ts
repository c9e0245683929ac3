import type { ApiObject } from "../storage/api-object.ts";
import { bootstrapBindings, bootstrapRoles } from "./bootstrap-roles.ts";

const apiVersion = "rbac.authorization.k8s.io/v1";
const metadata = (name: string, labels: Record<string, string> = {}) => ({
  name,
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
});

export const aggregateLabel = "rbac.authorization.k8s.io/aggregate-to-";

/** The roles and bindings that a cluster has from the start, as objects. */
export function bootstrapRBAC(): ApiObject[] {
  const roles = bootstrapRoles.map(({ name, rules, aggregateTo = [], aggregates }) => ({
    apiVersion,
    kind: "ClusterRole",
    metadata: metadata(name, Object.fromEntries(aggregateTo.map((to) => [`${aggregateLabel}${to}`, "true"]))),
    ...(rules && { rules }),
    ...(aggregates && {
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { [`${aggregateLabel}${aggregates}`]: "true" } }],
      },
    }),
  }));
  const bindings = bootstrapBindings.map(({ name, role, groups }) => ({
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: metadata(name),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: groups.map((group) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group })),
  }));
  return [...roles, ...bindings];
}
