import { readFileSync } from "node:fs";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { ClusterRoleBinding } from "@tsbuilder/runtime/k8s/rbac/v1";
import type { DevCluster } from "../../cluster/dev-cluster.ts";

/** Creates a client for tests that acts as the operator's ServiceAccount, with all permissions. */
export async function operatorClient(cluster: DevCluster): Promise<Client & { close(): Promise<void> }> {
  await cluster.client.create(ClusterRoleBinding, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "operator" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "manager", namespace: cluster.namespace }],
  });
  const kubeconfig = JSON.parse(readFileSync(await cluster.actAs("manager"), "utf8")) as object;
  return createClient(await loadConfig({ kubeconfig, env: {} }));
}
