// The manifests in `config/` as parts and inserts: for a project and its features, a kind, and its webhooks.

import { stringify } from "yaml";
import { needsClusterRole } from "../../project/names.ts";
import type { Project, Resource } from "../../project/project.ts";
import { type Blueprint, emptyBlueprint, joinBlueprints } from "../../scaffold/blueprint.ts";
import { component, describeFeatures, line, wiring } from "./features.ts";

/** The operator's own manifests, and the features of the deployment. */
export function init(project: Project): Blueprint {
  const { projectName } = project;
  return joinBlueprints(
    {
      parts: [{ key: "kustomize/base", templates: "kustomize/init/base", context: { projectName } }],
      inserts: [],
      generated: [],
    },
    project.resources.some(isReconciled) ? managerRole(project) : emptyBlueprint,
    project.resources.some((resource) => isReconciled(resource) && needsClusterRole(project, resource))
      ? managerClusterRole(project)
      : emptyBlueprint,
    project.namespaced ? namespaced(project) : emptyBlueprint,
    describeFeatures(project),
  );
}

const isReconciled = ({ controllers }: Resource): boolean => controllers.length > 0;

/** The role binding of the controllers; the role itself is generated from the markers above the reconcilers. */
function managerRole({ projectName }: Project): Blueprint {
  return {
    parts: [
      {
        key: "kustomize/manager-role",
        templates: "kustomize/create-api/manager-role",
        context: { projectName },
      },
    ],
    inserts: [line("rbac", "resources", "role.yaml"), line("rbac", "resources", "role_binding.yaml")],
    generated: ["config/rbac/role.yaml"],
  };
}

/** The binding of the ClusterRole that a namespaced operator has for cluster-scoped kinds. */
function managerClusterRole({ projectName }: Project): Blueprint {
  return {
    parts: [
      {
        key: "kustomize/manager-cluster-role",
        templates: "kustomize/create-api/manager-cluster-role",
        context: { projectName },
      },
    ],
    inserts: [line("rbac", "resources", "cluster_role_binding.yaml")],
    generated: [],
  };
}

function namespaced(project: Project): Blueprint {
  return project.namespaces.length > 0 ? watchesList(project) : watchesOwn();
}

function watchesOwn(): Blueprint {
  return {
    parts: [{ key: "kustomize/namespaced-own", templates: "kustomize/init/namespaced-own", context: {} }],
    inserts: [component("../namespaced")],
    generated: [],
  };
}

function watchesList({ projectName, namespaces }: Project): Blueprint {
  const roleBindings = namespaces.map((namespace) => roleBinding(projectName, namespace)).join("\n");
  return {
    parts: [
      {
        key: "kustomize/namespaced-list",
        templates: "kustomize/init/namespaced-list",
        context: { projectName, watchNamespaces: namespaces.join(","), roleBindings },
      },
    ],
    inserts: [component("../namespaced"), wiring("../namespaced/wiring")],
    generated: [],
  };
}

/** Binds the operator's ClusterRole in one namespace: its rules hold there only. */
function roleBinding(projectName: string, namespace: string): string {
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: {
      labels: { "app.kubernetes.io/name": projectName, "app.kubernetes.io/managed-by": "kustomize" },
      name: `${projectName}-manager-rolebinding`,
      namespace,
    },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: `${projectName}-manager-role`,
    },
    subjects: [
      {
        kind: "ServiceAccount",
        name: `${projectName}-controller-manager`,
        namespace: `${projectName}-system`,
      },
    ],
  };
  return `---\n${stringify(binding, { lineWidth: 0, indentSeq: false, compat: "yaml-1.1" }).trimEnd()}`;
}
