import type { Project, Resource } from "./project.ts";

/**
 * The ClusterRole of a namespaced operator, beside its Role: it has the permissions on cluster-scoped kinds, which a
 * Role can't give.
 */
export const clusterRoleName = "manager-cluster-role";

/** Returns whether the permissions on a kind belong into the operator's ClusterRole. */
export function needsClusterRole(project: Project, resource: Resource): boolean {
  return project.namespaced && !resource.namespaced;
}
