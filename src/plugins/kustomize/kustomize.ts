// The manifests in `config/` as parts and inserts: for a project and its features, a kind, and its webhooks.

import { stringify } from "yaml";
import type { FeatureName, Project, Resource } from "../../project/project.ts";
import {
  configPrefix,
  featureNames,
  groupFolder,
  kindFile,
  needsClusterRole,
  qualifiedGroup,
  sampleFile,
} from "../../project/project.ts";
import type { Blueprint, Insert } from "../../scaffold/blueprint.ts";
import { emptyBlueprint, joinBlueprints, part } from "../../scaffold/blueprint.ts";
import { type Plugin, partKeys } from "../contract/plugin.ts";

/** The folder of each feature in `config/`; a feature without one only has parts in combination with others. */
const featureFolders: Readonly<Record<FeatureName, string | undefined>> = {
  metrics: "metrics",
  webhook: "webhook",
  "cert-manager": "certmanager",
  "self-signed": "self-signed",
  prometheus: "prometheus",
  alerts: "alerts",
  "metrics-tls": undefined,
  "network-policy": "network-policy",
  restricted: "restricted",
  recorder: "recorder",
  opentelemetry: "opentelemetry",
  sharding: "sharding",
};

/** The parts and lines that a project has if all of some features are enabled. */
interface FeatureCombination {
  readonly features: readonly FeatureName[];
  /** The folder of its part in `templates/kustomize/feature`; a combination without one only has inserts. */
  readonly folder?: string;
  readonly inserts: readonly Insert[];
}

const combinations: readonly FeatureCombination[] = [
  { features: ["self-signed"], inserts: [defaultComponent("../self-signed/wiring")] },
  {
    features: ["cert-manager", "webhook"],
    folder: "cert-manager-webhook",
    inserts: [
      entry("certmanager", "certificates", "webhook"),
      entry("certmanager/wiring", "wiring", "webhook"),
      defaultComponent("../certmanager/wiring"),
    ],
  },
  {
    features: ["cert-manager", "metrics", "metrics-tls"],
    folder: "cert-manager-metrics",
    inserts: [
      entry("certmanager", "certificates", "metrics"),
      entry("certmanager/wiring", "wiring", "metrics"),
      defaultComponent("../certmanager/wiring"),
    ],
  },
  {
    features: ["cert-manager", "metrics", "metrics-tls", "prometheus"],
    folder: "prometheus-metrics-tls",
    inserts: [defaultComponent("../prometheus/wiring")],
  },
  {
    features: ["alerts", "webhook"],
    folder: "alerts-webhook",
    inserts: [entry("alerts", "alerts", "webhook.yaml")],
  },
  {
    features: ["alerts", "sharding"],
    folder: "alerts-sharding",
    inserts: [entry("alerts", "alerts", "shards.yaml")],
  },
  {
    features: ["network-policy", "metrics"],
    folder: "network-policy-metrics",
    inserts: [entry("network-policy", "policies", "allow-metrics-traffic.yaml")],
  },
  {
    features: ["network-policy", "webhook"],
    folder: "network-policy-webhook",
    inserts: [entry("network-policy", "policies", "allow-webhook-traffic.yaml")],
  },
];

/** The manifests in `config/`, in two layers of kustomize. */
export const kustomize: Plugin = { init, createApi, createWebhook };

/** The operator's own manifests, and the features of the deployment. */
function init(project: Project): Blueprint {
  const { projectName, resources, features } = project;
  const reconciled = resources.filter(({ controllers }) => controllers.length > 0);
  const isOn = (name: FeatureName): boolean => features.includes(name);
  return joinBlueprints(
    part("kustomize/base", "kustomize/init/base", { projectName }),
    reconciled.length > 0 ? managerRole(projectName) : emptyBlueprint,
    reconciled.some((resource) => needsClusterRole(project, resource))
      ? managerClusterRole(projectName)
      : emptyBlueprint,
    project.namespaced ? watchedNamespaces(project) : emptyBlueprint,
    ...featureNames.filter(isOn).map((name) => feature(projectName, name)),
    ...combinations
      .filter(({ features: combined }) => combined.every(isOn))
      .map((combination) => featurePart(projectName, combination.folder, combination.inserts)),
  );
}

/** The role binding of the controllers; the role itself is generated from the markers above the reconcilers. */
function managerRole(projectName: string): Blueprint {
  return {
    ...part("kustomize/manager-role", "kustomize/create-api/manager-role", { projectName }),
    inserts: [entry("rbac", "resources", "role.yaml"), entry("rbac", "resources", "role_binding.yaml")],
    generated: ["config/rbac/role.yaml"],
  };
}

/** The binding of the ClusterRole that a namespaced operator has for cluster-scoped kinds. */
function managerClusterRole(projectName: string): Blueprint {
  return {
    ...part("kustomize/manager-cluster-role", "kustomize/create-api/manager-cluster-role", { projectName }),
    inserts: [entry("rbac", "resources", "cluster_role_binding.yaml")],
  };
}

/** The settings of an operator that watches its own namespace, or those that are listed. */
function watchedNamespaces({ projectName, namespaces }: Project): Blueprint {
  if (namespaces.length === 0) {
    return {
      ...part("kustomize/namespaced-own", "kustomize/init/namespaced-own", {}),
      inserts: [baseComponent("../namespaced")],
    };
  }
  const roleBindings = namespaces.map((namespace) => roleBinding(projectName, namespace)).join("\n");
  const context = { projectName, watchNamespaces: namespaces.join(","), roleBindings };
  return {
    ...part("kustomize/namespaced-list", "kustomize/init/namespaced-list", context),
    inserts: [baseComponent("../namespaced"), defaultComponent("../namespaced/wiring")],
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

function feature(projectName: string, name: FeatureName): Blueprint {
  const folder = featureFolders[name];
  return folder === undefined
    ? emptyBlueprint
    : featurePart(projectName, name, [baseComponent(`../${folder}`)]);
}

function featurePart(projectName: string, name: string | undefined, inserts: readonly Insert[]): Blueprint {
  if (name === undefined) return { ...emptyBlueprint, inserts };
  return { ...part(`kustomize/feature/${name}`, `kustomize/feature/${name}`, { projectName }), inserts };
}

/** A kind's CRD, its sample, and roles for users; external kinds have theirs elsewhere. */
function createApi(project: Project, resource: Resource): Blueprint {
  if (resource.origin.type !== "own") return emptyBlueprint;
  const { kind, plural } = resource;
  const group = qualifiedGroup(resource);
  const base = `${group}_${plural}.yaml`;
  const roles = `${configPrefix(project, resource)}${kindFile(resource)}`;
  return joinBlueprints(
    part("kustomize/crd", "kustomize/create-api/crd-base", {}),
    part("kustomize/samples", "kustomize/create-api/samples-base", {}),
    // A reference operator has its own sample.
    resource.template ? emptyBlueprint : sample(project, resource),
    {
      ...part(`kustomize/roles/${group}/${kind}`, "kustomize/create-api/kind-roles", {
        projectName: project.projectName,
        configPrefix: configPrefix(project, resource),
        rolePrefix: project.multigroup ? `${groupFolder(resource).replaceAll(".", "-")}-` : "",
        kindLower: kindFile(resource),
        plural,
        qualifiedGroup: group,
        // kustomize turns a namespaced operator's roles for people into Roles, except for ClusterRoles with this
        // label.
        scopeLabel: needsClusterRole(project, resource) ? "\n    tsbuilder.dev/scope: Cluster" : "",
      }),
      inserts: [
        entry("base", "resources", "../crd"),
        entry("crd", "crds", `bases/${base}`),
        entry("samples", "samples", `${sampleFile(resource)}.yaml`),
        ...["admin", "editor", "viewer"].map((role) =>
          entry("rbac", "resources", `${roles}_${role}_role.yaml`),
        ),
      ],
      generated: [`config/crd/bases/${base}`],
    },
  );
}

function sample({ projectName }: Project, resource: Resource): Blueprint {
  return part(partKeys.sample(resource), "kustomize/create-api/sample", {
    projectName,
    sampleFile: sampleFile(resource),
    apiVersion: `${qualifiedGroup(resource)}/${resource.version}`,
    kind: resource.kind,
    kindLower: kindFile(resource),
  });
}

/** The generated webhook configurations, and the CRD patch for conversion. */
function createWebhook(project: Project, resource: Resource): Blueprint {
  if (!project.features.includes("webhook")) return emptyBlueprint;
  const { defaulting, validation, spokes } = resource.webhooks;
  const configurations = {
    ...emptyBlueprint,
    inserts: [entry("webhook", "resources", "manifests.yaml")],
    generated: ["config/webhook/manifests.yaml"],
  };
  return joinBlueprints(
    defaulting || validation ? configurations : emptyBlueprint,
    spokes === undefined ? emptyBlueprint : conversion(project, resource),
  );
}

function conversion(project: Project, resource: Resource): Blueprint {
  const { kind, plural } = resource;
  const group = qualifiedGroup(resource);
  const prefix = configPrefix(project, resource);
  const context = { configPrefix: prefix, kind, plural, qualifiedGroup: group };
  return {
    ...part(`kustomize/conversion/${group}/${kind}`, "kustomize/create-webhook/conversion", context),
    inserts: [entry("crd", "conversion-patches", `path: patches/webhook_in_${prefix}${plural}.yaml`)],
  };
}

/** Returns the entry of a component in config/base, which adds objects. */
function baseComponent(path: string): Insert {
  return entry("base", "components", path);
}

/** Returns the entry of a component in config/default, which connects objects by their final names. */
function defaultComponent(path: string): Insert {
  return entry("default", "components", path);
}

/** Returns an entry of a kustomization in `config/`. */
function entry(folder: string, marker: string, text: string): Insert {
  return { file: `config/${folder}/kustomization.yaml`, marker, text: `- ${text}` };
}
