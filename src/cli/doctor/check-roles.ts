import { builtinResources } from "@tsbuilder/apimachinery/kinds";
import { clusterRoleName } from "../../project/cluster-role.ts";
import { type Project, qualifiedGroup } from "../../project/project.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import type { Finding } from "./finding.ts";

/** The generated roles. */
export const roleFile = "config/rbac/role.yaml";

/** Finds permissions on cluster-scoped kinds in the Role of a namespaced operator, which can't give them. */
export function checkRoles(project: Project, tree: Tree): Finding[] {
  const text = project.namespaced ? tree.read(roleFile) : undefined;
  if (text === undefined) return [];
  const isClusterScoped = clusterScopedKinds(project);
  const roles = readYaml(roleFile, text) as readonly (Role | null)[];
  const lost = roles
    .filter((role) => role?.kind === "ClusterRole" && role.metadata?.name === "manager-role")
    .flatMap((role) => role?.rules ?? [])
    // Some operators read single objects where they may, and do without them elsewhere.
    .filter(({ verbs = [] }) => verbs.some((verb) => verb !== "get"))
    .flatMap(({ apiGroups = [], resources = [] }) =>
      apiGroups.flatMap((group) => resources.map((resource) => nameOf(group, resource.split("/")[0]!))),
    )
    .filter(isClusterScoped);
  const bind = tree.has("config/rbac/cluster_role_binding.yaml")
    ? ""
    : `, and bind ${clusterRoleName} with a ClusterRoleBinding in config/rbac`;
  return [...new Set(lost)].map((name) => ({
    state: "wrong",
    subject: roleFile,
    message: `the operator is namespaced, and a Role can't allow "${name}", which is cluster-scoped`,
    remedy: `add roleName=${clusterRoleName} to its +kubebuilder:rbac markers, run npm run manifests${bind}`,
  }));
}

interface Role {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly verbs?: readonly string[];
  }[];
}

/** `nodes` in the core group, `frigates.ship.example.com` in others. */
const nameOf = (group: string, plural: string): string => [plural, group].filter(Boolean).join(".");

function clusterScopedKinds({ resources }: Project): (name: string) => boolean {
  const names = new Set([
    ...builtinResources()
      .filter(({ scope }) => scope === "Cluster")
      .map(({ group, plural }) => nameOf(group, plural)),
    ...resources
      .filter(({ namespaced }) => !namespaced)
      .map((resource) => nameOf(qualifiedGroup(resource), resource.plural)),
  ]);
  return (name) => names.has(name);
}
