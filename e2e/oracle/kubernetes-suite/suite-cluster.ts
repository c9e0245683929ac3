import type { Secret } from "@tsbuilder/apimachinery/k8s/core/v1";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import type { ResourceName } from "../../../src/cluster/contract/cluster-objects.ts";
import { clusterObjects } from "../../../src/cluster/registry/cluster-objects.ts";
import { kubernetesVersion } from "../real/build-kubernetes.ts";
import { isUnforeseen } from "../../support/unforeseen-errors.ts";
import { containerStages } from "./container-stages.ts";
import { startWebhookServer } from "./webhook-server.ts";

const secrets: ResourceName<Secret> = "secrets";

/** The cluster that the suite runs on: as `tsbuilder cluster start`, with a second node and a stand-in for webhook pods. */
export async function startSuiteCluster(): Promise<TestCluster> {
  const webhooks = await startWebhookServer((namespace) => {
    const data = clusterObjects(cluster.core)
      .list(secrets, namespace)
      .map((secret) => secret.data ?? {})
      .find((each) => each["tls.crt"] && each["tls.key"]);
    return data && { cert: decode(data["tls.crt"]!), key: decode(data["tls.key"]!) };
  });
  const cluster = await startTestCluster({
    kubernetesVersion,
    controllers: controllerNames,
    stages: containerStages(),
    // The specs refuse what controllers write, which is then tried again; any other failure is a defect.
    onError(error) {
      if (!isUnforeseen(error)) return;
      console.error(error);
      process.exitCode = 1;
    },
    resolveService: () => ({ host: "127.0.0.1", port: webhooks.port }),
  });
  const labels = {
    "kubernetes.io/hostname": "second-node",
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
  };
  await cluster.install({ apiVersion: "v1", kind: "Node", metadata: { name: "second-node", labels } });
  return {
    ...cluster,
    async stop() {
      webhooks.stop();
      await cluster.stop();
    },
  };
}

function decode(data: string): string {
  return Buffer.from(data, "base64").toString();
}
