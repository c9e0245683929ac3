import { stringify } from "yaml";

interface Installation {
  readonly packageName: string;
  readonly channel: string;
  readonly image: string;
  readonly namespace: string;
}

/** Returns manifests that install a package from a catalog, for OLM v1 or v0. */
export function formatInstallation(version: "v0" | "v1", installation: Installation): string {
  const objects = version === "v1" ? forV1(installation) : forV0(installation);
  return objects.map((object) => stringify(object, { compat: "yaml-1.1", lineWidth: 0 })).join("---\n");
}

function forV1({ packageName, channel, image, namespace }: Installation): object[] {
  const installer = `${packageName}-installer`;
  return [
    {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterCatalog",
      metadata: { name: `${packageName}-catalog` },
      spec: { source: { type: "Image", image: { ref: image, pollIntervalMinutes: 10 } } },
    },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: installer, namespace } },
    {
      // The installer needs all permissions of the operator. A narrower role than this one is better.
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: installer },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: installer, namespace }],
    },
    {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name: packageName },
      spec: {
        namespace,
        serviceAccount: { name: installer },
        source: { sourceType: "Catalog", catalog: { packageName, channels: [channel] } },
      },
    },
  ];
}

function forV0({ packageName, channel, image, namespace }: Installation): object[] {
  const catalog = `${packageName}-catalog`;
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "CatalogSource",
      metadata: { name: catalog, namespace },
      spec: { sourceType: "grpc", image, grpcPodConfig: { securityContextConfig: "restricted" } },
    },
    // Without target namespaces, the group is for all namespaces.
    {
      apiVersion: "operators.coreos.com/v1",
      kind: "OperatorGroup",
      metadata: { name: packageName, namespace },
      spec: {},
    },
    {
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
      metadata: { name: packageName, namespace },
      spec: { name: packageName, channel, source: catalog, sourceNamespace: namespace },
    },
  ];
}
