import { startTestCluster } from "@tsbuilder/cluster/testing";

/**
 * An embedded cluster in a separate process, so that its memory is not counted; it persists its objects in a folder.
 */
const cluster = await startTestCluster({
  dataDir: process.argv[2]!,
  controllers: ["garbagecollector"],
  crds: [
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "churns.soak.example.com" },
      spec: {
        group: "soak.example.com",
        scope: "Namespaced",
        names: { kind: "Churn", listKind: "ChurnList", plural: "churns", singular: "churn" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    },
  ],
});
process.send?.(cluster.kubeconfig);
process.on("disconnect", () => process.exit());
