import type { KindDescription } from "../../../generators/crd/describe-kinds.ts";
import { type ManifestObject, parseManifest } from "../../../ship/manifest.ts";
import { assembleCsv, type AssembledBundle } from "../assemble-csv.ts";
import type { InstalledDeployment } from "../csv.ts";

/** The manifests of a small project, for tests. */
export const base = `
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: shop.v0.0.0
  annotations: { capabilities: Basic Install }
spec:
  displayName: Shop
  installModes:
  - { type: OwnNamespace, supported: false }
  - { type: AllNamespaces, supported: true }
`;

export const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop-controller-manager, namespace: shop-system, labels: { app: shop } }
spec:
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      serviceAccountName: shop-controller-manager
      containers:
      - name: manager
        image: shop:v1
        args: [--leader-elect]
`;

export const account = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: shop-controller-manager, namespace: shop-system }
`;

export const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: orders.shop.example.com, annotations: { cert-manager.io/inject-ca-from: shop-system/cert } }
spec:
  group: shop.example.com
  names: { kind: Order, plural: orders }
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        description: "An Order.\\nAnd more."
        properties:
          spec: { properties: { minReadySeconds: { type: integer, description: Seconds. } } }
          status: { properties: { clusterIPs: { type: array } } }
  - { name: v1alpha1, served: false }
`;

export function assemble(...manifests: string[]): AssembledBundle {
  return assembleObjects([base, deployment, ...manifests].flatMap(parseManifest));
}

export function assembleObjects(
  objects: readonly ManifestObject[],
  kinds: readonly KindDescription[] = [],
  samples: readonly ManifestObject[] = [],
): AssembledBundle {
  return assembleCsv({
    objects,
    packageName: "shop",
    version: "1.2.0",
    builder: "tsbuilder-v1",
    projectLayout: "typescript.tsbuilder.dev/v1",
    extraServiceAccounts: [],
    kinds,
    samples,
  });
}

export const role = (kind: string, name: string, resource: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: { name: ${name}${kind === "Role" ? ", namespace: shop-system" : ""} }
rules: [{ apiGroups: [""], resources: [${resource}], verbs: [get] }]
`;

export const bind = (kind: string, name: string, roleKind: string, ...accounts: string[]): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: { name: ${name}-binding${kind === "RoleBinding" ? ", namespace: shop-system" : ""} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${roleKind}, name: ${name} }
subjects:
${accounts.map((each) => `- { kind: ServiceAccount, name: ${each}, namespace: shop-system }`).join("\n")}
`;

export function installed({ csv }: AssembledBundle): InstalledDeployment {
  return csv.spec.install!.spec.deployments[0]!;
}
