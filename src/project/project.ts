// The description of a project, as `PROJECT` has it, and the names that follow from it. `change-project.ts` changes a
// description, which returns a new one, and `store.ts` reads and writes the file.
import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { blockCommentText } from "../shared/source-text.ts";
import { TsbuilderError } from "../shared/errors.ts";

/** The description of a project: `PROJECT` in memory. All scaffolded files follow from it. */
export interface Project {
  readonly domain: string;
  readonly projectName: string;
  /** A folder per API group: `api/<group>/<version>` instead of `api/<version>`. */
  readonly multigroup: boolean;
  /** The operator watches its own namespace, with Roles instead of ClusterRoles. */
  readonly namespaced: boolean;
  /** The namespaces that a namespaced operator watches instead. */
  readonly namespaces: readonly string[];
  readonly license: LicenseName;
  /** The copyright owner. */
  readonly owner: string;
  readonly features: readonly FeatureName[];
  readonly resources: readonly Resource[];
  /** Third-party plugins, in the order in which they contribute. */
  readonly plugins: readonly PluginUse[];
  /** The tsbuilder version that scaffolded the project. */
  readonly cliVersion: string;
}

interface FeatureDefinition {
  readonly summary: string;
  readonly needs?: readonly string[];
  readonly excludes?: readonly string[];
  /** The packages that the operator loads for it, with the versions that it was tested with. */
  readonly packages?: Readonly<Record<string, string>>;
}

/** The features of a deployment, with their requirements and conflicts. */
export const features = {
  metrics: { summary: "serve metrics on port 8443, with authentication and authorization" },
  webhook: { summary: "serve the admission and conversion webhooks" },
  "cert-manager": { summary: "use certificates from cert-manager", excludes: ["self-signed"] },
  "self-signed": {
    summary: "let the operator create and rotate the webhooks' certificate itself",
    needs: ["webhook"],
    excludes: ["cert-manager"],
  },
  prometheus: { summary: "add a ServiceMonitor for the Prometheus operator", needs: ["metrics"] },
  alerts: { summary: "add a PrometheusRule with alerts and what to do about them", needs: ["prometheus"] },
  "metrics-tls": {
    summary: "serve metrics with a certificate from cert-manager",
    needs: ["metrics", "cert-manager"],
  },
  "network-policy": { summary: "allow only the traffic that metrics and webhooks need" },
  restricted: {
    summary: "admit only pods of the restricted Pod Security Standard in the operator's namespace",
  },
  recorder: { summary: "keep what the operator did last, for tsbuilder record and tsbuilder why" },
  opentelemetry: {
    summary: "send traces, metrics and logs to an OpenTelemetry collector",
    packages: {
      "@opentelemetry/api": "1.9.1",
      "@opentelemetry/exporter-logs-otlp-http": "0.223.0",
      "@opentelemetry/exporter-metrics-otlp-http": "0.223.0",
      "@opentelemetry/exporter-trace-otlp-http": "0.223.0",
      "@opentelemetry/resources": "2.12.0",
      "@opentelemetry/sdk-logs": "0.223.0",
      "@opentelemetry/sdk-metrics": "2.12.0",
      "@opentelemetry/sdk-trace-node": "2.12.0",
    },
  },
  sharding: { summary: "run three replicas that share the objects, instead of one that leads" },
} as const satisfies Record<string, FeatureDefinition>;

export type FeatureName = keyof typeof features;

export const featureNames = Object.keys(features) as FeatureName[];

/** Returns the packages that the features of a project add to those of every project. */
export function featurePackages({ features: enabled }: Pick<Project, "features">): Record<string, string> {
  const definitions: readonly FeatureDefinition[] = enabled.map((name) => features[name]);
  return Object.assign({}, ...definitions.map(({ packages }) => packages)) as Record<string, string>;
}

export type LicenseName = "apache2" | "copyright" | "none" | "file";

/** A kind that the project defines or uses. */
export interface Resource {
  /** The part of the API group before the domain; may be empty if there is a domain. */
  readonly group: string;
  readonly domain: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string | undefined;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** The owner of the CRD: the project, Kubernetes, or a third party. */
  readonly origin: Origin;
  /** The template of the types and the controller; undefined for a skeleton. */
  readonly template: TemplateRecord | undefined;
  readonly controllers: readonly ControllerRecord[];
  readonly webhooks: WebhookRecord;
}

export type Origin =
  | { readonly type: "own" }
  | { readonly type: "core" }
  /** `module` is where the types are imported from: an npm package, or a file in the project. */
  | { readonly type: "external"; readonly module: string };

/** A reference operator with its options. */
export interface TemplateRecord {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

export interface ControllerRecord {
  readonly name: string;
  /** The built-in kinds whose objects it was scaffolded to create, as API version and kind: `apps/v1/Deployment`. */
  readonly owns?: readonly string[] | undefined;
}

/** The webhooks of a kind. */
export interface WebhookRecord {
  readonly defaulting: boolean;
  readonly validation: boolean;
  /** Spoke versions that are converted to and from this one; undefined without conversion. */
  readonly spokes: readonly string[] | undefined;
  readonly defaultingPath: string | undefined;
  readonly validationPath: string | undefined;
}

/** A third-party plugin that contributes to the project. */
export interface PluginUse {
  /** `grafana.example.com/v1`: a name, and the version of what it scaffolds. */
  readonly key: string;
  /** It contributes to the project and all its kinds, as `layout` in the file says; otherwise to `resources` only. */
  readonly isInLayout: boolean;
  /** The npm package or folder that it comes from; undefined for an executable that speaks kubebuilder's protocol. */
  readonly package: string | undefined;
  /** The values of its flags for the project. */
  readonly options: PluginOptions;
  /** The values of its flags for single kinds. */
  readonly resources: readonly PluginResource[];
}

/** A kind in one version, with a plugin's options for it. */
export type PluginResource = Pick<Resource, "group" | "domain" | "version" | "kind"> & {
  readonly options: PluginOptions;
};

/** Options as JSON. A key with the value undefined is removed from the file. */
export type PluginOptions = Readonly<Record<string, unknown>>;

export const noWebhooks: WebhookRecord = {
  defaulting: false,
  validation: false,
  spokes: undefined,
  defaultingPath: undefined,
  validationPath: undefined,
};

/** Creates a resource: one of the project, without controllers and webhooks, unless the settings say otherwise. */
export function newResource(settings: Kind & Pick<Resource, "plural"> & Partial<Resource>): Resource {
  return {
    singular: undefined,
    shortNames: [],
    categories: [],
    namespaced: true,
    origin: { type: "own" },
    template: undefined,
    controllers: [],
    webhooks: noWebhooks,
    ...settings,
  };
}

/** Identifies a kind in one version. */
type Kind = Pick<Resource, "group" | "domain" | "version" | "kind">;

/** Returns the API group as used in an apiVersion: group and domain, joined by a dot. */
export function qualifiedGroup({ group, domain }: Pick<Resource, "group" | "domain">): string {
  return [group, domain].filter((part) => part !== "").join(".");
}

/** Formats a resource for error messages: `group/version, Kind kind`. */
export function describeResource(resource: Kind): string {
  return `${apiVersionOf({ group: qualifiedGroup(resource), version: resource.version })}, Kind ${resource.kind}`;
}

/** Returns whether two resources are the same kind in the same version. */
export function isSameResource(a: Kind, b: Kind): boolean {
  return isSameKind(a, b) && a.version === b.version;
}

/** Returns whether two resources are the same kind, in any version. */
export function isSameKind(a: Omit<Kind, "version">, b: Omit<Kind, "version">): boolean {
  return a.kind === b.kind && qualifiedGroup(a) === qualifiedGroup(b);
}

export function hasWebhooks({ webhooks }: Resource): boolean {
  return webhooks.defaulting || webhooks.validation || webhooks.spokes !== undefined;
}

/** Formats the license header of source files. It contains no year, so that the output does not depend on the date. */
export function formatBoilerplate({ license, owner }: Pick<Project, "license" | "owner">): string {
  if (license === "none" || license === "file") return "";
  const lines = [
    ...(owner === "" ? [] : [`Copyright ${blockCommentText(owner)}.`]),
    ...(license === "apache2" ? ["SPDX-License-Identifier: Apache-2.0"] : ["All rights reserved."]),
  ];
  return ["/*", ...lines.map((line) => ` * ${line}`), " */"].join("\n");
}

const keyPattern =
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/v\d+(?:-(?:alpha|beta))?$/u;

/** Returns the key of a plugin; throws a TsbuilderError unless it has the form of kubebuilder's keys. */
export function checkPluginKey(key: string): string {
  if (key.length <= 253 && keyPattern.test(key)) return key;
  throw new TsbuilderError(`invalid plugin key "${key}"`, {
    code: "INVALID_NAME",
    hint: "a key is a name in lower case and a version, for example grafana.example.com/v1 or v1-alpha",
  });
}

/** Removes plugins by their keys; throws for one that the project does not have. */
export function removePlugins(project: Project, keys: readonly string[]): Project {
  const unknown = keys.find((key) => !project.plugins.some((use) => use.key === key));
  if (unknown === undefined)
    return { ...project, plugins: project.plugins.filter(({ key }) => !keys.includes(key)) };
  throw new TsbuilderError(`the project has no plugin "${unknown}"`, {
    code: "NOT_FOUND",
    hint:
      project.plugins.length === 0
        ? "it has no third-party plugins"
        : `it has ${project.plugins.map(({ key }) => key).join(", ")}`,
  });
}

/** Returns whether the text of `PROJECT` may name plugins, without parsing it for the many projects that have none. */
export function mayHavePlugins(text: string): boolean {
  return /^plugins:/mu.test(text) || !/^layout:\s*\n\s*- [^\n]*\n(?!\s*- )/mu.test(text);
}

export function apiFolder(project: Pick<Project, "multigroup">, resource: Resource): string {
  return project.multigroup ? `api/${groupFolder(resource)}/${resource.version}` : `api/${resource.version}`;
}

export function controllerFolder(project: Pick<Project, "multigroup">, resource: Resource): string {
  return project.multigroup ? `src/controller/${groupFolder(resource)}` : "src/controller";
}

export function webhookFolder(project: Pick<Project, "multigroup">, resource: Resource): string {
  return project.multigroup
    ? `src/webhook/${groupFolder(resource)}/${resource.version}`
    : `src/webhook/${resource.version}`;
}

/** Returns the folder of an API group: its name, or for a group without a name its domain. */
export function groupFolder({ group, domain }: Pick<Resource, "group" | "domain">): string {
  if (group !== "") return group;
  return domain === "" ? "core" : domain;
}

/** Returns the kind as it is in the names of files. */
export function kindFile({ kind }: Pick<Resource, "kind">): string {
  return kind.toLowerCase();
}

/** The prefix of file names in `config/`; with several groups it includes the group. */
export function configPrefix(project: Pick<Project, "multigroup">, resource: Resource): string {
  return project.multigroup ? `${groupFolder(resource)}_` : "";
}

/** The file name of a kind's sample in `config/samples`, without its extension. */
export function sampleFile(resource: Resource): string {
  return `${groupFolder(resource)}_${resource.version}_${kindFile(resource)}`;
}

/** Returns the specifier that imports one module of the project from another: relative, with forward slashes. */
export function importPath(fromFile: string, toFile: string): string {
  const from = fromFile.split("/").slice(0, -1);
  const to = toFile.split("/");
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared++;
  const up = from.slice(shared).map(() => "..");
  const path = [...up, ...to.slice(shared)].join("/");
  return up.length === 0 ? `./${path}` : path;
}

/** The name of a kind's first controller; with several groups it includes the group. */
export function defaultControllerName(
  { multigroup }: Pick<Project, "multigroup">,
  resource: Resource,
): string {
  return multigroup ? groupedName(resource) : kindFile(resource);
}

/** Returns whether a controller has its kind's default name, in either layout. */
export function isDefaultControllerName(resource: Resource, name: string): boolean {
  return name === kindFile(resource) || name === groupedName(resource);
}

function groupedName(resource: Resource): string {
  const group = resource.group.replaceAll(/[^a-z0-9]+/gu, "-");
  return group === "" ? kindFile(resource) : `${group}-${kindFile(resource)}`;
}

/** The ClusterRole of a namespaced operator, for the cluster-scoped kinds that its Role can't give access to. */
export const clusterRoleName = "manager-cluster-role";

/** Returns whether the permissions on a kind belong into the operator's ClusterRole. */
export function needsClusterRole(project: Project, resource: Resource): boolean {
  return project.namespaced && !resource.namespaced;
}

/** The built-in API groups of Kubernetes by short name, with their domains; `core` has an empty name there. */
const coreGroups: Readonly<Record<string, string>> = Object.fromEntries([
  ...["core", "apps", "autoscaling", "batch", "policy"].map((group) => [group, ""]),
  ...(
    "admissionregistration apiextensions apiregistration authentication authorization certificates coordination " +
    "discovery events flowcontrol.apiserver internal.apiserver networking node rbac.authorization resource scheduling " +
    "storage storagemigration"
  )
    .split(" ")
    .map((group) => [group, "k8s.io"]),
]);

export const coreGroupNames = Object.keys(coreGroups);

/** The group and domain of a built-in group, from its short (`networking`) or full name (`networking.k8s.io`). */
export function findCoreGroup(typed: string): { group: string; domain: string } | undefined {
  const group = typed.replace(/\.k8s\.io$/u, "");
  const domain = coreGroups[group];
  if (domain === undefined || (typed !== group && domain === "")) return undefined;
  return { group: group === "core" ? "" : group, domain };
}
