import { type ControllerName, controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { mysqlScenarioSuite } from "../support/mysql/suite.ts";

/** What nodes do is played, so that pods can fail. */
const ofNodes: readonly ControllerName[] = ["scheduler", "node", "kubelet"];

mysqlScenarioSuite("the embedded cluster", async () => {
  const controllers = controllerNames.filter((name) => !ofNodes.includes(name));
  const cluster = await startTestCluster({ controllers });
  return { kubeconfig: await cluster.kubeconfigFile(), stop: () => cluster.stop() };
});
