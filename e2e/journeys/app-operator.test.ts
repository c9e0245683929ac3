import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { appServiceSuite, type ClusterToPlayOn } from "../support/appservice/suite.ts";

type Controllers = Parameters<typeof startTestCluster>[0];

async function start(options?: Controllers): Promise<ClusterToPlayOn> {
  const cluster = await startTestCluster(options);
  return { kubeconfig: await cluster.kubeconfigFile(), stop: () => cluster.stop() };
}

appServiceSuite("the embedded cluster", {
  bare: () => start(),
  withControllers: () => start({ controllers: controllerNames }),
});
