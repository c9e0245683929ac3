import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { referenceOperatorSuite } from "../../support/operators/reference-operators.ts";

referenceOperatorSuite("the embedded cluster", async () => {
  const cluster = await startTestCluster({ controllers: controllerNames });
  return { kubeconfig: await cluster.kubeconfigFile(), stop: () => cluster.stop() };
});
