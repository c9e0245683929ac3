import { isObject, type JSONObject } from "@tsbuilder/apimachinery/json";
import { stringify } from "yaml";
import { bundleAnnotations as keys } from "../../../src/olm/bundle-format.ts";

/** A file of a bundle: a text, or the value of its YAML. */
export type BundleFiles = Record<string, unknown>;

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
const image = `registry.example.com/shop-operator@${digest}`;

const shop = (version: string): JSONObject => ({
  name: version,
  served: true,
  storage: version === "v1",
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          required: ["replicas"],
          properties: { replicas: { type: "integer", minimum: 0 }, owner: { type: "string" } },
        },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
});

const example = {
  apiVersion: "apps.example.com/v1",
  kind: "Shop",
  metadata: { name: "shop-sample" },
  spec: { replicas: 3 },
};

const webhook = {
  type: "ValidatingAdmissionWebhook",
  generateName: "vshop-v1.kb.io",
  deploymentName: "shop-controller-manager",
  containerPort: 443,
  targetPort: 9443,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  failurePolicy: "Fail",
  webhookPath: "/validate-apps-example-com-v1-shop",
  rules: [
    { operations: ["CREATE"], apiGroups: ["apps.example.com"], apiVersions: ["v1"], resources: ["shops"] },
  ],
};

const conversion = {
  type: "ConversionWebhook",
  generateName: "cshops.kb.io",
  deploymentName: "shop-controller-manager",
  containerPort: 443,
  targetPort: "webhook",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  webhookPath: "/convert",
  conversionCRDs: ["shops.apps.example.com"],
};

const deployment = {
  replicas: 1,
  selector: { matchLabels: { app: "shop" } },
  template: {
    metadata: { labels: { app: "shop" } },
    spec: {
      serviceAccountName: "shop-controller-manager",
      containers: [
        {
          name: "manager",
          image,
          ports: [{ name: "webhook", containerPort: 9443 }],
          resources: { requests: { cpu: "10m", memory: "64Mi" } },
        },
      ],
    },
  },
};

const annotations = {
  [keys.mediaType]: "registry+v1",
  [keys.manifests]: "manifests/",
  [keys.metadata]: "metadata/",
  [keys.package]: "shop-operator",
  [keys.channels]: "stable,fast",
  [keys.defaultChannel]: "stable",
  [keys.testMediaType]: "scorecard+v1",
  [keys.testConfig]: "tests/scorecard/",
};

/** A bundle without a finding, by all rules; each call returns a new one. */
export function rightBundle(): BundleFiles {
  return structuredClone({
    "manifests/shop-operator.clusterserviceversion.yaml": {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "ClusterServiceVersion",
      metadata: {
        name: "shop-operator.v1.1.0",
        annotations: {
          "alm-examples": JSON.stringify([example, { ...example, apiVersion: "apps.example.com/v2" }]),
          capabilities: "Seamless Upgrades",
          categories: "Database, Storage",
          "olm.skipRange": ">=1.0.0 <1.1.0",
        },
        labels: {
          "operatorframework.io/arch.amd64": "supported",
          "operatorframework.io/os.linux": "supported",
        },
      },
      spec: {
        displayName: "Shop Operator",
        description: "Runs shops.",
        version: "1.1.0",
        replaces: "shop-operator.v1.0.0",
        skips: ["shop-operator.v1.0.1"],
        minKubeVersion: "1.28.0",
        provider: { name: "Example" },
        maintainers: [{ name: "Ann", email: "ann@example.com" }],
        links: [{ name: "Documentation", url: "https://example.com/shop" }],
        icon: [{ base64data: "PHN2Zy8+", mediatype: "image/svg+xml" }],
        installModes: [
          { type: "OwnNamespace", supported: false },
          { type: "SingleNamespace", supported: false },
          { type: "MultiNamespace", supported: false },
          { type: "AllNamespaces", supported: true },
        ],
        customresourcedefinitions: {
          owned: ["v1", "v2"].map((version) => ({
            name: "shops.apps.example.com",
            version,
            kind: "Shop",
            description: "A shop",
          })),
        },
        install: {
          strategy: "deployment",
          spec: {
            clusterPermissions: [
              {
                serviceAccountName: "shop-controller-manager",
                rules: [
                  { apiGroups: ["apps.example.com"], resources: ["shops"], verbs: ["get", "list", "watch"] },
                ],
              },
            ],
            deployments: [{ name: "shop-controller-manager", spec: deployment }],
          },
        },
        webhookdefinitions: [webhook, conversion],
        relatedImages: [{ name: "manager", image }],
      },
    },
    "manifests/apps.example.com_shops.yaml": {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "shops.apps.example.com" },
      spec: {
        group: "apps.example.com",
        scope: "Namespaced",
        names: { kind: "Shop", plural: "shops" },
        versions: [shop("v1"), shop("v2")],
      },
    },
    "manifests/shop-reader_clusterrole.yaml": {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "shop-reader" },
      rules: [{ apiGroups: ["apps.example.com"], resources: ["shops"], verbs: ["get"] }],
    },
    "manifests/shop-budget.yaml": {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "shop-budget" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "shop" } } },
    },
    "metadata/annotations.yaml": { annotations },
    "tests/scorecard/config.yaml": {
      apiVersion: "scorecard.operatorframework.io/v1alpha3",
      kind: "Configuration",
    },
    "bundle.Dockerfile": [
      "FROM scratch",
      ...Object.entries(annotations).map(([key, value]) => `LABEL ${key}=${value}`),
      "COPY bundle/manifests /manifests/",
      "",
    ].join("\n"),
  });
}

/** The texts of the files, in the folder `bundle`, as a project has them. */
export function bundleTexts(files: BundleFiles): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, value]) => [
      path.endsWith("Dockerfile") ? path : `bundle/${path}`,
      typeof value === "string" ? value : stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }),
    ]),
  );
}

/** Sets a value in a file by the steps to it, between blanks; undefined deletes it. */
export function damage(files: BundleFiles, file: string, path: string, value: unknown): void {
  const steps = path.split(" ");
  const last = steps.pop()!;
  let target: unknown = files[file];
  for (const step of steps) target = (target as JSONObject<unknown>)[step];
  if (value === undefined && isObject(target)) delete target[last];
  else (target as JSONObject<unknown>)[last] = value;
}
