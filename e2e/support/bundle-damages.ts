import { createCipheriv } from "node:crypto";
import { bundleAnnotations as keys } from "../../src/olm/bundle-format.ts";
import type { RuleName } from "../../src/olm/validate/rules.ts";
import { damage, rightBundle } from "./right-bundle.ts";

/** What can be wrong with a bundle: single damages of a right one, at least one for each rule. */

export const csv = "manifests/shop-operator.clusterserviceversion.yaml";
const crd = "manifests/apps.example.com_shops.yaml";
const role = "manifests/shop-reader_clusterrole.yaml";
export const budget = "manifests/shop-budget.yaml";
const metadata = "metadata/annotations.yaml";
const dockerfile = "bundle.Dockerfile";
const strategy = "spec install spec";
const pod = `${strategy} deployments 0 spec template spec`;
const image = "registry.example.com/shop-operator:v1";
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "shop" },
  spec: { ports: [{ port: 80 }] },
};
export const oldBudget = { ...service, apiVersion: "policy/v1beta1", kind: "PodDisruptionBudget", spec: {} };

/** File, path and new value of a change; the rule that it breaks, and the text at the position of the finding. */
type Damage = [rule: RuleName, file: string, path: string, value: unknown, text: string];

export const damages: Damage[] = [
  ["annotation-missing", metadata, `annotations ${keys.package}`, undefined, "annotations:"],
  ["annotation-missing", metadata, `annotations ${keys.channels}`, undefined, "annotations:"],
  ["annotation-unknown", metadata, "annotations operators.operatorframework.io.bundle.chanels.v1", "x", "x"],
  ["annotation-value", metadata, `annotations ${keys.mediaType}`, "registry+v2", "registry+v2"],
  ["annotation-value", metadata, `annotations ${keys.package}`, 5, "5"],
  ["annotation-folder", metadata, `annotations ${keys.metadata}`, "meta/", "meta/"],
  ["annotation-folder", metadata, `annotations ${keys.manifests}`, "../manifests/", "../manifests/"],
  ["package-name", metadata, `annotations ${keys.package}`, "Shop Operator", "Shop Operator"],
  ["channel-name", metadata, `annotations ${keys.channels}`, "stable,fa st", "stable,fa st"],
  ["channel-name", metadata, `annotations ${keys.channels}`, "stable,stable", "stable,stable"],
  ["channel-name", metadata, `annotations ${keys.channels}`, "", '""'],
  ["default-channel", metadata, `annotations ${keys.defaultChannel}`, "alpha", "alpha"],
  ["default-channel-missing", metadata, `annotations ${keys.defaultChannel}`, undefined, "stable,fast"],
  ["scorecard-config", metadata, `annotations ${keys.testConfig}`, "tests/", "tests/"],
  ["label-mismatch", metadata, `annotations ${keys.channels}`, "fast,stable", `${keys.channels}=stable,fast`],
  ["label-mismatch", metadata, `annotations ${keys.builder}`, "tsbuilder", "FROM scratch"],
  [
    "label-mismatch",
    metadata,
    `annotations ${keys.testMediaType}`,
    undefined,
    `${keys.testMediaType}=scorecard+v1`,
  ],

  ["csv-api-version", csv, "apiVersion", "operators.coreos.com/v1", "operators.coreos.com/v1"],
  ["csv-name", csv, "metadata name", "Shop.v1.1.0", "Shop.v1.1.0"],
  ["csv-name", csv, "metadata name", `${"s".repeat(58)}.v1.1.0`, "sss"],
  ["csv-name-convention", csv, "metadata name", "shop-operator.v1.2.0", "shop-operator.v1.2.0"],
  ["csv-field", csv, "spec displayName", undefined, "spec:"],
  ["csv-field", csv, `${strategy} deployments 0 spec replicas`, "1", '"1"'],
  ["csv-field", csv, `${pod} containers 0 name`, undefined, "image: "],
  ["csv-field", csv, `${pod} containers 0 resources requests cpu`, true, "true"],
  ["csv-field", csv, "spec webhookdefinitions 0 failurePolicy", "Never", "Never"],
  ["csv-field", csv, "spec webhookdefinitions 0 type", "AdmissionWebhook", "AdmissionWebhook"],
  ["csv-field", csv, "spec installModes 3 supported", "always", "always"],
  [
    "csv-field",
    csv,
    "spec customresourcedefinitions owned 0 specDescriptors",
    [{ displayName: "A" }],
    "displayName: A",
  ],
  ["csv-unknown-field", csv, "spec instalModes", [], "instalModes:"],
  ["csv-unknown-field", csv, `${pod} serviceAcountName`, "x", "x"],
  ["csv-version", csv, "spec version", "v1.1.0", "v1.1.0"],
  ["csv-version", csv, "spec version", undefined, "spec:"],
  ["csv-min-kube-version", csv, "spec minKubeVersion", "1.28", '"1.28"'],
  ["csv-min-kube-version-missing", csv, "spec minKubeVersion", undefined, "spec:"],
  ["csv-description", csv, "spec icon", undefined, "spec:"],
  ["csv-description", csv, "spec provider", { url: "https://example.com" }, "provider:"],
  ["csv-annotation-case", csv, "metadata annotations OLM.skiprange", "<1.0.0", "<1.0.0"],
  ["csv-properties", csv, "metadata annotations olm.properties", "[]", '"[]"'],
  ["replaces-name", csv, "spec replaces", "shop-operator.v1.1.0", "shop-operator.v1.1.0"],
  ["replaces-name", csv, "spec replaces", "shop operator", "shop operator"],
  ["replaces-name", csv, "spec skips 0", "shop-operator.v1.1.0", "shop-operator.v1.1.0"],
  ["replaces-version", csv, "spec replaces", "shop-operator.v1.10.0", "shop-operator.v1.10.0"],
  ["skip-range", csv, "metadata annotations olm.skipRange", ">=1.0", '">=1.0"'],
  ["skip-range", csv, "metadata annotations olm.skipRange", "<=1.1.0", "<=1.1.0"],

  ["install-strategy", csv, "spec install strategy", "helm", "helm"],
  ["install-strategy", csv, `${strategy} deployments`, [], "deployments: []"],
  ["install-modes", csv, "spec installModes 0 type", "OwnNamespaces", "OwnNamespaces"],
  ["install-modes", csv, "spec installModes 0 type", "AllNamespaces", "AllNamespaces"],
  ["install-modes", csv, "spec installModes 3 supported", false, "installModes:"],
  ["install-modes", csv, "spec installModes", undefined, "spec:"],
  [
    "install-modes-missing",
    csv,
    "spec installModes",
    [{ type: "AllNamespaces", supported: true }],
    "installModes:",
  ],
  ["deployment-name", csv, `${strategy} deployments 0 name`, "shop.manager", "shop.manager"],
  ["deployment-selector", csv, `${strategy} deployments 0 spec selector matchLabels app`, "other", "other"],
  [
    "container-image",
    csv,
    `${pod} containers 0 image`,
    "https://example.com/shop",
    "https://example.com/shop",
  ],
  ["service-account-missing", csv, `${pod} serviceAccountName`, "other", "other"],
  ["service-account-unused", csv, `${pod} serviceAccountName`, undefined, "shop-controller-manager"],
  ["permission-rule", csv, `${strategy} clusterPermissions 0 rules 0 verbs`, [], "verbs: []"],
  ["permission-rule", csv, `${strategy} clusterPermissions 0 rules 0 resources`, [], "apiGroups:"],
  ["permission-rule", csv, `${strategy} clusterPermissions 0 rules 0 apiGroups`, undefined, "resources:"],
  ["related-image", csv, "spec relatedImages 0 image", "", '""'],
  [
    "related-image-missing",
    csv,
    "spec relatedImages 0 image",
    image,
    "registry.example.com/shop-operator@sha256",
  ],
  ["image-digest", csv, `${pod} containers 0 image`, image, image],

  ["crd-invalid", crd, "spec scope", "Everywhere", "Everywhere"],
  ["crd-invalid", crd, "metadata name", "shops.example.com", "shops.example.com"],
  ["crd-invalid", crd, "spec versions 0 schema openAPIV3Schema properties spec type", undefined, "spec:"],
  ["crd-invalid", crd, "spec versions 1 storage", true, "versions:"],
  ["crd-invalid", crd, "spec versions 0 served", "yes", "spec:"],
  ["crd-not-owned", csv, "spec customresourcedefinitions owned", undefined, "shops.apps.example.com"],
  [
    "owned-crd-missing",
    csv,
    "spec customresourcedefinitions owned 0 name",
    "carts.apps.example.com",
    "carts.apps.example.com",
  ],
  ["owned-crd-missing", csv, "spec customresourcedefinitions owned 0 version", "v3", "v3"],
  ["owned-crd-missing", csv, "spec customresourcedefinitions owned 0 kind", "Store", "Store"],
  ["owned-crd-name", csv, "spec customresourcedefinitions owned 0 name", "shops", "shops"],
  [
    "owned-crd-duplicate",
    csv,
    "spec customresourcedefinitions owned 1 version",
    "v1",
    "shops.apps.example.com",
  ],
  ["examples-json", csv, "metadata annotations alm-examples", "[{]", '"[{]"'],
  ["examples-json", csv, "metadata annotations alm-examples", '{"kind":"Shop"}', '\'{"kind":"Shop"}\''],
  ["examples-kind", csv, "metadata annotations alm-examples", '[{"kind":"Cart"}]', '\'[{"kind":"Cart"}]\''],
  [
    "examples-schema",
    csv,
    "metadata annotations alm-examples",
    '[{"apiVersion":"apps.example.com/v1","kind":"Shop","spec":{"replicas":-1}}]',
    "'[{",
  ],
  ["examples-missing", csv, "metadata annotations alm-examples", "[]", "name: shops.apps.example.com"],

  ["webhook-name", csv, "spec webhookdefinitions 0 generateName", "vshop", "vshop"],
  ["webhook-name", csv, "spec webhookdefinitions 1 generateName", "vshop-v1.kb.io", "vshop-v1.kb.io"],
  ["webhook-deployment", csv, "spec webhookdefinitions 0 deploymentName", "other", "other"],
  ["webhook-deployment", csv, "spec webhookdefinitions 0 deploymentName", undefined, "type: Validating"],
  ["webhook-port", csv, "spec webhookdefinitions 0 containerPort", 70_000, "70000"],
  ["webhook-port", csv, "spec webhookdefinitions 0 targetPort", 0, "0"],
  ["webhook-port", csv, "spec webhookdefinitions 1 targetPort", "https", "https"],
  ["webhook-path", csv, "spec webhookdefinitions 0 webhookPath", "validate", "validate"],
  ["webhook-side-effects", csv, "spec webhookdefinitions 0 sideEffects", "Some", "Some"],
  [
    "webhook-versions",
    csv,
    "spec webhookdefinitions 0 admissionReviewVersions",
    ["v2"],
    "admissionReviewVersions:",
  ],
  ["webhook-rules", csv, "spec webhookdefinitions 0 rules", [], "rules: []"],
  ["webhook-rules", csv, "spec webhookdefinitions 0 rules 0 apiGroups", ["*"], "apiGroups:"],
  [
    "webhook-rules",
    csv,
    "spec webhookdefinitions 0 rules 0 apiGroups",
    ["operators.coreos.com"],
    "apiGroups:",
  ],
  [
    "webhook-conversion",
    csv,
    "spec webhookdefinitions 0 conversionCRDs",
    ["shops.apps.example.com"],
    "conversionCRDs:",
  ],
  [
    "webhook-conversion",
    csv,
    "spec webhookdefinitions 1 conversionCRDs 0",
    "carts.apps.example.com",
    "carts.apps.example.com",
  ],
  ["webhook-conversion", csv, "spec webhookdefinitions 1 conversionCRDs", undefined, "type: Conversion"],
  ["webhook-install-modes", csv, "spec installModes 0 supported", true, "true"],

  ["object-type", role, "kind", undefined, "apiVersion: "],
  ["object-kind", role, "kind", "Deployment", "Deployment"],
  ["object-name", budget, "metadata name", "Shop_Budget", "Shop_Budget"],
  ["object-name", role, "metadata name", "shop/reader", "shop/reader"],
  ["object-namespace", budget, "metadata namespace", "shops", "shops"],
  ["object-field", budget, "spec selector matchLabels app", 5, "5"],
  ["object-unknown-field", budget, "spec minAvailible", 2, "2"],
  ["disruption-budget", budget, "spec minAvailable", "100%", "100%"],
  ["disruption-budget", budget, "spec maxUnavailable", 0, "0"],
  [
    "security-constraints",
    role,
    "rules 0",
    {
      apiGroups: ["security.openshift.io"],
      resources: ["securitycontextconstraints"],
      resourceNames: ["anyuid"],
      verbs: ["update"],
    },
    "apiGroups:",
  ],
  [
    "disruption-rights",
    role,
    "rules 0",
    { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["*"] },
    "apiGroups:",
  ],
  ["api-removed", budget, "apiVersion", "policy/v1beta1", "policy/v1beta1"],
  ["api-removed", crd, "apiVersion", "apiextensions.k8s.io/v1beta1", "apiextensions.k8s.io/v1beta1"],

  ["hub-provider", csv, "spec provider", {}, "provider: {}"],
  ["hub-maintainers", csv, "spec maintainers 0 email", "ann", "ann"],
  ["hub-links", csv, "spec links 0 url", "example", "example"],
  ["hub-icon", csv, "spec icon 0 mediatype", "image/webp", "image/webp"],
  ["hub-capabilities", csv, "metadata annotations capabilities", "Full", "Full"],
  ["hub-categories", csv, "metadata annotations categories", "Database,Shops", "Database,Shops"],
  ["practice-requests", csv, `${pod} containers 0 resources`, {}, "resources: {}"],
  [
    "practice-descriptions",
    csv,
    "spec customresourcedefinitions owned 1 description",
    "",
    "shops.apps.example.com",
  ],
  ["practice-channels", metadata, `annotations ${keys.channels}`, "stable,alpha", "stable,alpha"],
  [
    "practice-crd-rights",
    csv,
    `${strategy} clusterPermissions 0 rules 0`,
    { apiGroups: ["apiextensions.k8s.io"], resources: ["*"], verbs: ["*"] },
    "apiGroups:",
  ],
  ["community-openshift", crd, "apiVersion", "apiextensions.k8s.io/v1beta1", "apiextensions.k8s.io/v1beta1"],
  ["multiarch-labels", csv, "metadata labels operatorframework.io/arch.amd64", "true", '"true"'],
  ["multiarch-labels", csv, "metadata labels operatorframework.io/arch.x86", "supported", "supported"],
  ["multiarch-selector", csv, `${pod} nodeSelector`, { "kubernetes.io/arch": "arm64" }, "arm64"],
];

/** Files as a whole, by their path. */
export const replacedFiles: [rule: RuleName, file: string, content: unknown, text: string][] = [
  ["yaml-syntax", csv, "kind: [", ""],
  ["yaml-syntax", crd, "kind: A\nkind: B\n", "kind: B"],
  ["yaml-syntax", metadata, "a: &a [*a, *a]", ""],
  ["file-size", crd, `a: ${"x".repeat(4_000_000)}`, "a: xxx"],
  ["one-object", role, "kind: A\n---\nkind: B\n", "kind: B"],
  ["bundle-size", role, { data: randomText(1_500_000) }, "apiVersion:"],
  ["bundle-size-near", role, { data: randomText(1_300_000) }, "apiVersion:"],
  ["annotations-missing", metadata, "annotations: {}", "annotations: {}"],
  ["annotations-missing", metadata, "", ""],
  ["csv-missing", csv, "", ""],
  ["csv-duplicate", "manifests/other.yaml", rightBundle()[csv], "ClusterServiceVersion"],
  ["deployment-name", csv, twice("deployments"), "shop-controller-manager"],
  [
    "service-account-conflict",
    "manifests/sa.yaml",
    { ...service, kind: "ServiceAccount", metadata: { name: "shop-controller-manager" }, spec: undefined },
    "shop-controller-manager",
  ],
  ["permission-rule", csv, withUrls(), "nonResourceURLs:"],
  ["related-image", csv, twice("relatedImages"), "manager"],
  ["object-duplicate", "manifests/z-budget.yaml", rightBundle()[budget], "shop-budget"],
  [
    "priority-class",
    "manifests/priority.yaml",
    {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "shop" },
      value: 1,
      globalDefault: true,
    },
    "true",
  ],
  ["webhook-conversion", crd, oneVersion(), "shops.apps.example.com"],
  [
    "label-mismatch",
    dockerfile,
    "FROM scratch\nLABEL a=b \\\n  operators.operatorframework.io.bundle.package.v1='cart'\n",
    "operators.operatorframework.io.bundle.package.v1",
  ],
];

/** A text that can be compressed to three quarters. */
function randomText(length: number): string {
  const cipher = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16));
  return cipher.update(Buffer.alloc((length * 3) / 4)).toString("base64");
}

/** The ClusterServiceVersion with an element of a list twice; the second image differs. */
function twice(list: "deployments" | "relatedImages"): unknown {
  const files = rightBundle();
  const { spec } = files[csv] as {
    spec: { install: { spec: { deployments: unknown[] } }; relatedImages: { name: string }[] };
  };
  if (list === "deployments") spec.install.spec.deployments.push(spec.install.spec.deployments[0]);
  else spec.relatedImages.push({ ...spec.relatedImages[0]!, image } as { name: string });
  return files[csv];
}

function withUrls(): unknown {
  const files = rightBundle();
  const permission = {
    serviceAccountName: "shop-controller-manager",
    rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  };
  damage(files, csv, `${strategy} permissions`, [permission]);
  return files[csv];
}

function oneVersion(): unknown {
  const files = rightBundle();
  const { spec } = files[crd] as { spec: { versions: unknown[] } };
  spec.versions.pop();
  return files[crd];
}
