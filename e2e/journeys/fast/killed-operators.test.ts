import { startTestCluster } from "@tsbuilder/cluster/testing";
import { appServiceKills } from "../../support/operators/appservice/suite.ts";

// A killed process leaves sockets open and half of its writes sent: these operators are separate processes, and their
// clusters use the machine's clock.

appServiceKills("the embedded cluster, killed", async () => {
  const cluster = await startTestCluster({ controllers: [] });
  return { kubeconfig: await cluster.kubeconfigFile(), stop: () => cluster.stop() };
});
