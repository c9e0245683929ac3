import { FakeClock } from "@tsbuilder/apimachinery/time";
import { type ControllerName, controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { mysqlScenarioSuiteOnClock } from "../../support/operators/mysql/suite.ts";

/** A fake kubelet reports the pods, so that they can fail. */
const ofNodes: readonly ControllerName[] = ["scheduler", "node", "kubelet"];

mysqlScenarioSuiteOnClock("the embedded cluster", async () => {
  const clock = new FakeClock();
  const controllers = controllerNames.filter((name) => !ofNodes.includes(name));
  const cluster = await startTestCluster({ controllers, clock });
  return { clock, kubeconfig: await cluster.kubeconfigFile(), stop: () => cluster.stop() };
});
