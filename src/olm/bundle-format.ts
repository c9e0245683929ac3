/** The format of OLM's bundles: API versions, annotations, media types, folders, sizes, YAML. */

import { gzipSync } from "node:zlib";
import { stringify } from "yaml";

export const csvApiVersion = "operators.coreos.com/v1alpha1";
export const csvKind = "ClusterServiceVersion";

/** The prefixes of the annotations in `metadata/annotations.yaml`. */
const bundlePrefix = "operators.operatorframework.io.bundle";
const metricsPrefix = "operators.operatorframework.io.metrics";
const testPrefix = "operators.operatorframework.io.test";

/** The annotations of a bundle. Its image has them as labels. */
export const bundleAnnotations = {
  mediaType: `${bundlePrefix}.mediatype.v1`,
  manifests: `${bundlePrefix}.manifests.v1`,
  metadata: `${bundlePrefix}.metadata.v1`,
  package: `${bundlePrefix}.package.v1`,
  channels: `${bundlePrefix}.channels.v1`,
  defaultChannel: `${bundlePrefix}.channel.default.v1`,
  builder: `${metricsPrefix}.builder`,
  metricsMediaType: `${metricsPrefix}.mediatype.v1`,
  projectLayout: `${metricsPrefix}.project_layout`,
  testMediaType: `${testPrefix}.mediatype.v1`,
  testConfig: `${testPrefix}.config.v1`,
} as const;

/** The channel of new bundles, and the default channel of new packages in a catalog. */
export const newChannel = "alpha";

/** The media types of a bundle: with plain manifests, with the tool that built it, and with tests for the scorecard. */
export const bundleMediaType = "registry+v1";
export const metricsMediaType = "metrics+v1";
export const testMediaType = "scorecard+v1";

/** The folders of a bundle, as its annotations name them. */
export const bundleFolders = {
  manifests: "manifests/",
  metadata: "metadata/",
  tests: "tests/scorecard/",
} as const;

export const annotationsFile = "annotations.yaml";

/** The file beside a bundle that builds its image. */
export const bundleDockerfileName = "bundle.Dockerfile";

export const csvAnnotations = {
  examples: "alm-examples",
  /** operator-sdk's validators read it where there is no `alm-examples`. */
  otherExamples: "olm.examples",
  builder: "operators.operatorframework.io/builder",
  projectLayout: "operators.operatorframework.io/project_layout",
  skipRange: "olm.skipRange",
  suggestedNamespace: "operatorframework.io/suggested-namespace",
  capabilities: "capabilities",
  categories: "categories",
  certified: "certified",
  containerImage: "containerImage",
  createdAt: "createdAt",
  description: "description",
  repository: "repository",
  support: "support",
} as const;

/** The annotation of an operator's pods in which OLM writes the namespaces to watch; empty for all of them. */
export const targetNamespaces = "olm.targetNamespaces";

/** The sets of namespaces that an operator can watch, from its own to all. */
export const installModes = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"] as const;

export type InstallMode = (typeof installModes)[number];

/** The capability levels of operators, which catalogs show. */
export const capabilityLevels = [
  "Basic Install",
  "Seamless Upgrades",
  "Full Lifecycle",
  "Deep Insights",
  "Auto Pilot",
] as const;

/** The kinds of objects that OLM creates from a bundle, beside its ClusterServiceVersion. */
export const bundledKinds: ReadonlySet<string> = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "ConfigMap",
  "ConsoleCLIDownload",
  "ConsoleLink",
  "ConsolePlugin",
  "ConsoleQuickStart",
  "ConsoleYAMLSample",
  "CustomResourceDefinition",
  "NetworkPolicy",
  "PodDisruptionBudget",
  "PodMonitor",
  "PriorityClass",
  "PrometheusRule",
  "Role",
  "RoleBinding",
  "Secret",
  "Service",
  "ServiceAccount",
  "ServiceMonitor",
  "VerticalPodAutoscaler",
]);

/** The types of a ClusterServiceVersion's `webhookdefinitions`. */
export const webhookTypes = {
  mutating: "MutatingAdmissionWebhook",
  validating: "ValidatingAdmissionWebhook",
  conversion: "ConversionWebhook",
} as const;

/** The media types of icons that consoles show, by the ending of a file. */
export const iconMediaTypes: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
};

/** Options for YAML that OLM and the servers of catalogs read: YAML 1.1, without folded texts and aliases. */
export const yamlOptions = { compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

export function writeYaml(value: unknown): string {
  return stringify(value, yamlOptions);
}

/** The largest size of a bundle: OLM stores its manifests in one ConfigMap, each compressed, and in base64. */
export const largestBundle = 1024 * 1024;
export const nearlyTooLarge = largestBundle * 0.85;

export const shortenBundle =
  "shorten the CRDs: tsbuilder manifests --max-desc-len 0 omits their descriptions";

/** Returns the size of a bundle, from the texts of its manifests. */
export function compressedSize(texts: readonly string[]): number {
  return texts.map((text) => gzipSync(text).toString("base64").length).reduce((sum, size) => sum + size, 0);
}
